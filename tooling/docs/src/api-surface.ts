import path from 'node:path';
import ts from 'typescript';
import { root, rooms, type Room } from './rooms.ts';

/** The names each room exports, by its subpaths: `docs/api/<room>.txt`. A changed name is a decision, so it shows. */
export function apiSurfaces(): Map<string, string> {
  const all = rooms().filter((room) => Object.keys(room.entries).length > 0);
  const files = all.flatMap((room) => Object.values(room.entries).map((entry) => sourceFile(room, entry)));
  const program = ts.createProgram(files, {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    customConditions: ['@baton/source'],
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
  });
  return new Map(all.map((room) => [`docs/api/${room.name}.txt`, surface(program, room)]));
}

const sourceFile = (room: Room, entry: string) => path.join(root, room.folder, entry);

function surface(program: ts.Program, room: Room): string {
  const sections = Object.entries(room.entries).map(([subpath, entry]) => {
    const specifier = subpath === '.' ? `@baton/${room.name}` : `@baton/${room.name}/${subpath.slice(2)}`;
    return [specifier, ...exportedNames(program, sourceFile(room, entry)).map((name) => `  ${name}`)].join(
      '\n',
    );
  });
  return `${sections.join('\n\n')}\n`;
}

function exportedNames(program: ts.Program, file: string): string[] {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) return [];
  return checker
    .getExportsOfModule(module)
    .map((symbol) => {
      const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      return `${symbol.name}${target.flags & ts.SymbolFlags.Value ? '' : ' (type)'}`;
    })
    .sort();
}
