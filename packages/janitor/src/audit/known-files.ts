import type { Ecosystem, FoundDependencies } from './dependency.ts';
import { readPackageJson, readPackageLock, readPnpmLock, readYarnLock } from './npm-files.ts';
import { readCargoLock, readCargoToml, readGoMod } from './other-files.ts';
import { readPoetryLock, readPyproject, readRequirements, readUvLock } from './python-files.ts';

/** A kind of file that names packages. */
export interface KnownFile {
  ecosystem: Ecosystem;
  /** A lock file names each package at its version; a manifest what is asked for. */
  kind: 'lock' | 'manifest';
  /** @throws Unreadable */
  read: (text: string, beside: string | null) => FoundDependencies;
  /** Name of a file in the same folder that belongs to it. */
  beside?: string;
}

const npm = { ecosystem: 'npm' } as const;
const python = { ecosystem: 'PyPI' } as const;
const cargo = { ecosystem: 'crates.io' } as const;

const byName: Readonly<Record<string, KnownFile>> = {
  'package.json': { ...npm, kind: 'manifest', read: readPackageJson },
  'package-lock.json': { ...npm, kind: 'lock', read: readPackageLock },
  'npm-shrinkwrap.json': { ...npm, kind: 'lock', read: readPackageLock },
  'pnpm-lock.yaml': { ...npm, kind: 'lock', read: readPnpmLock },
  'yarn.lock': { ...npm, kind: 'lock', read: readYarnLock },
  'pyproject.toml': { ...python, kind: 'manifest', read: readPyproject },
  'poetry.lock': { ...python, kind: 'lock', read: readPoetryLock },
  'uv.lock': { ...python, kind: 'lock', read: readUvLock },
  'Cargo.toml': { ...cargo, kind: 'manifest', read: readCargoToml },
  'Cargo.lock': { ...cargo, kind: 'lock', read: readCargoLock },
  'go.mod': { ecosystem: 'Go', kind: 'lock', read: readGoMod, beside: 'go.sum' },
};
// A file of requirements is its own lock file where it names versions.
const requirements: KnownFile = { ...python, kind: 'lock', read: readRequirements };

/** What is known of a file by its path; null: it names no packages, or those of an installed package. */
export function knownFile(path: string): KnownFile | null {
  const parts = path.split('/');
  const name = parts.at(-1) ?? '';
  const isInstalled = parts.some((part) => ['node_modules', 'site-packages', 'vendor'].includes(part));
  if (isInstalled) return null;
  if (/^requirements[^/]*\.(?:txt|in)$/.test(name)) return requirements;
  if (parts.at(-2) === 'requirements' && /\.(?:txt|in)$/.test(name)) return requirements;
  return Object.hasOwn(byName, name) ? (byName[name] ?? null) : null;
}
