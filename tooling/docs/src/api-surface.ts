import ts from 'typescript';
import { exportedNames, type ExportedName } from './api-program.ts';
import { workspacePackages } from './workspace-packages.ts';

/** The names each package exports, by its subpaths: `docs/api/<package>.txt`. A changed name is a decision, so it shows. */
export function apiSurfaces(): Map<string, string> {
  const { names } = exportedNames();
  return new Map(
    workspacePackages()
      .filter((member) => Object.keys(member.entries).length > 0)
      .map((member) => {
        const own = names.filter((name) => name.member.name === member.name);
        const specifiers = Object.keys(member.entries).map(
          (subpath) => `@baton/${member.name}${subpath.slice(1)}`,
        );
        const sections = specifiers.map((specifier) =>
          [specifier, ...own.filter((name) => name.specifier === specifier).map(line)].join('\n'),
        );
        return [`docs/api/${member.name}.txt`, `${sections.join('\n\n')}\n`];
      }),
  );
}

const line = ({ name, symbol }: ExportedName) =>
  `  ${name}${symbol.flags & ts.SymbolFlags.Value ? '' : ' (type)'}`;
