import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The repository's root folder. */
export const root = path.resolve(import.meta.dirname, '../../..');

/** A package or app of the repository. */
export interface WorkspacePackage {
  /** Name without the scope, e.g. `task-store`. */
  name: string;
  /** Folder relative to the root, e.g. `packages/task-store`. */
  folder: string;
  /** False for packages that npm gets. */
  private: boolean;
  /** Source file by export subpath, relative to the folder, e.g. `{ '.': 'src/index.ts' }`. */
  entries: Readonly<Record<string, string>>;
}

interface Manifest {
  name: string;
  private?: boolean;
  exports?: Record<string, string | { '@baton/source'?: string }>;
}

/** Packages and apps as they lie on disk, in the order of their names. */
export function workspacePackages(): WorkspacePackage[] {
  return ['packages', 'apps']
    .flatMap((parent) => readdirSync(path.join(root, parent)).map((name) => `${parent}/${name}`))
    .filter((folder) => existsSync(path.join(root, folder, 'package.json')))
    .map(readPackage)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function readPackage(folder: string): WorkspacePackage {
  const manifest = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8')) as Manifest;
  const entries: Record<string, string> = {};
  for (const [subpath, target] of Object.entries(manifest.exports ?? {})) {
    const source = typeof target === 'string' ? undefined : target['@baton/source'];
    if (source !== undefined) entries[subpath] = path.normalize(source);
  }
  return { name: manifest.name.replace('@baton/', ''), folder, private: manifest.private === true, entries };
}

/** Production sources of a package, relative to the root: no tests, nothing generated. */
export function sources(member: WorkspacePackage): string[] {
  return readdirSync(path.join(root, member.folder, 'src'), { recursive: true, encoding: 'utf8' })
    .map((file) => path.posix.join(member.folder, 'src', file.split(path.sep).join('/')))
    .filter((file) => /\.tsx?$/.test(file) && !/\.(test|test-d)\.tsx?$/.test(file))
    .filter((file) => !file.includes('/generated/'))
    .sort();
}
