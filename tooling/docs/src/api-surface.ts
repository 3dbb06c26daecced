import ts from 'typescript';
import { exportedNames, type ExportedName } from './api-program.ts';
import { rooms } from './rooms.ts';

/** The names each room exports, by its subpaths: `docs/api/<room>.txt`. A changed name is a decision, so it shows. */
export function apiSurfaces(): Map<string, string> {
  const { names } = exportedNames();
  return new Map(
    rooms()
      .filter((room) => Object.keys(room.entries).length > 0)
      .map((room) => {
        const own = names.filter((name) => name.room.name === room.name);
        const specifiers = Object.keys(room.entries).map(
          (subpath) => `@baton/${room.name}${subpath.slice(1)}`,
        );
        const sections = specifiers.map((specifier) =>
          [specifier, ...own.filter((name) => name.specifier === specifier).map(line)].join('\n'),
        );
        return [`docs/api/${room.name}.txt`, `${sections.join('\n\n')}\n`];
      }),
  );
}

const line = ({ name, symbol }: ExportedName) =>
  `  ${name}${symbol.flags & ts.SymbolFlags.Value ? '' : ' (type)'}`;
