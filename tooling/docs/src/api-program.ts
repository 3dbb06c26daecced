import path from 'node:path';
import ts from 'typescript';
import { root, workspacePackages, type WorkspacePackage } from './workspace-packages.ts';

/** One name that a package exports. */
export interface ExportedName {
  member: WorkspacePackage;
  /** How users import it, e.g. `@baton/fsm-core/task`. */
  specifier: string;
  name: string;
  symbol: ts.Symbol;
}

/** The exports of all packages, by package and subpath in the order of package.json, names sorted; with their checker. */
export function exportedNames(): { names: ExportedName[]; checker: ts.TypeChecker } {
  const entries = workspacePackages().flatMap((member) =>
    Object.entries(member.entries).map(([subpath, entry]) => ({
      member,
      specifier: `@baton/${member.name}${subpath.slice(1)}`,
      file: path.join(root, member.folder, entry),
    })),
  );
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    {
      target: ts.ScriptTarget.ES2024,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      customConditions: ['@baton/source'],
      allowImportingTsExtensions: true,
      noEmit: true,
      skipLibCheck: true,
      types: [],
    },
  );
  const checker = program.getTypeChecker();
  const names = entries.flatMap(({ member, specifier, file }) => {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    const symbols = module ? checker.getExportsOfModule(module) : [];
    return symbols
      .map((symbol) => ({ member, specifier, name: symbol.name, symbol: resolved(symbol, checker) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  });
  return { names, checker };
}

const resolved = (symbol: ts.Symbol, checker: ts.TypeChecker) =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
