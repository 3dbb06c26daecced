import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { root, workspacePackages, sources } from './workspace-packages.ts';

/** One package's production code imports another's. */
export interface RoomImport {
  from: string;
  to: string;
  /** Files that hold the import, relative to the root. */
  files: readonly string[];
}

/** The import graph between packages, read from the sources: static, type-only, re-exported and dynamic imports. */
export function roomImports(): RoomImport[] {
  const found = new Map<string, { from: string; to: string; files: string[] }>();
  for (const member of workspacePackages()) {
    for (const file of sources(member)) {
      for (const to of importedRooms(readFileSync(path.join(root, file), 'utf8'))) {
        if (to === member.name) continue;
        const key = `${member.name} ${to}`;
        const edge = found.get(key) ?? { from: member.name, to, files: [] };
        edge.files.push(file);
        found.set(key, edge);
      }
    }
  }
  return [...found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, edge]) => edge);
}

/** Packages that a source text imports, each once. */
export function importedRooms(source: string): string[] {
  const names = ts
    .preProcessFile(source, true, true)
    .importedFiles.map((file) => /^@baton\/([a-z0-9-]+)(\/|$)/.exec(file.fileName)?.[1])
    .filter((name) => name !== undefined);
  return [...new Set(names)];
}
