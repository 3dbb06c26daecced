import { posix } from 'node:path';
import type { Gate } from '@baton/contracts';
import { gitText } from '../run-git.ts';
import { changedSections, definesGates, foreignSource, hasGateSections, isLockFile } from './gate-files.ts';
import { dependenciesDiffer, packageFlags, scriptFiles } from './gate-scripts.ts';
import {
  listChangedPaths,
  readAt,
  readLines,
  readTests,
  type ChangedPath,
  type ChangeRange,
} from './read-change.ts';
import { namesGates, namesTests } from './owns-tests.ts';
import { isTestPath } from './test-paths.ts';
import { weakerTests } from './weaker-tests.ts';

/** A change, the gates it must pass, and what the task was told to edit. */
export interface TamperOptions extends ChangeRange {
  gates: readonly Gate[];
  /** The change in full, as the candidate gives it; listed anew when left out. */
  changes?: readonly ChangedPath[];
  /** Files that the plan gives to this task by their exact name: asked for, so not flagged as edits of a gate's definition. */
  owned?: readonly string[];
  /** Role of the task: one that writes tests owns them all. */
  role?: string;
}

/** One thing that proves less than before. */
export interface TamperFlag {
  /** One sentence. */
  text: string;
  /** Whether the task owns what it weakened: its files name the tests or the folder of definitions, or its role is to write tests. */
  owned: boolean;
}

/**
 * What a person should look at before this lands: tests deleted, skipped or weakened, and edits to what defines a gate's command
 * (docs/spec/landing.md#tamper-rules). A flag is no verdict: it asks for approval, or is recorded, as the plan says.
 * @returns sorted by text; empty when there is nothing to look at
 * @throws GIT_FAILED
 */
export async function tamperFlags(options: TamperOptions): Promise<TamperFlag[]> {
  const changes = options.changes ?? (await listChangedPaths(options));
  const owned = new Set(options.owned ?? []);
  const definitions = changes.filter(({ path }) => !owned.has(path));
  const tests = await readTests(options, changes);
  const ownsGates = namesGates(options.owned ?? []);
  const [asked, ...others] = await Promise.all([
    definitionFlags(
      options,
      definitions.filter(({ path }) => ownsGates(path)),
    ),
    definitionFlags(
      options,
      definitions.filter(({ path }) => !ownsGates(path)),
    ),
    manifestFlags(options, definitions),
    lockFlags(options, { changes, definitions }),
    linkFlags(options, changes),
  ]);
  const ownsTests = namesTests({ files: options.owned ?? [], role: options.role });
  const flags = [
    ...weakerTests(tests).map(({ text, paths }) => ({ text, owned: paths.every(ownsTests) })),
    ...asked.map((text) => ({ text, owned: true })),
    ...[...new Set(others.flat())].map((text) => ({ text, owned: false })),
  ];
  return flags.sort((one, other) => (one.text < other.text ? -1 : 1));
}

async function definitionFlags(options: TamperOptions, changes: readonly ChangedPath[]): Promise<string[]> {
  const named = new Set(
    options.gates.flatMap((gate) => gate.command.map((word) => word.replace(/^\.\//, ''))),
  );
  const older = changes.filter(({ path, status }) => status !== 'added' && !isTestPath(path));
  const manifest =
    older.length === 0 ? null : await readAt(options, { commit: options.from, path: 'package.json' });
  const scripted = new Set(scriptFiles(manifest, options.gates));
  const flags = changes.map(async ({ path, status }): Promise<string[]> => {
    if (definesGates(path)) return [`gate definition: ${path} ${status}`];
    if (/(^|\/)node_modules\//.test(path))
      return [`gate definition: ${path} ${status}, in installed packages`];
    const runs = (named.has(path) || scripted.has(path)) && older.some((change) => change.path === path);
    if (runs) return [`gate definition: ${path}, which a gate runs, ${status}`];
    if (!hasGateSections(path)) return [];
    const [before, after] = await Promise.all(
      [options.from, options.to].map((commit) => readAt(options, { commit, path })),
    );
    const sections = changedSections(path, { before: before ?? '', after: after ?? '' });
    return sections.map((section) => `gate definition: [${section}] of ${path} changed`);
  });
  return (await Promise.all(flags)).flat();
}

async function manifestFlags(options: TamperOptions, changes: readonly ChangedPath[]): Promise<string[]> {
  const manifests = changes.filter(({ path }) => posix.basename(path) === 'package.json');
  const flags = manifests.map(async ({ path }) => {
    const [before = null, after = null] = await Promise.all(
      [options.from, options.to].map((commit) => readAt(options, { commit, path })),
    );
    return packageFlags({ path, before, after, gates: options.gates });
  });
  return (await Promise.all(flags)).flat();
}

/** A lock file may follow its manifest; changed on its own, or towards a source that is no registry, it swaps tools unseen. */
async function lockFlags(
  options: TamperOptions,
  paths: { changes: readonly ChangedPath[]; definitions: readonly ChangedPath[] },
): Promise<string[]> {
  const locks = paths.definitions.filter(({ path }) => isLockFile(path));
  if (locks.length === 0) return [];
  const explained = await Promise.all(paths.changes.map((change) => explainsLock(options, change)));
  if (!explained.includes(true))
    return locks.map(
      ({ path, status }) => `gate definition: lock file ${path} ${status} without its manifest`,
    );
  const lines = await readLines(
    options,
    locks.map(({ path }) => path),
  );
  return lines
    .filter((file) => foreignSource(file.added))
    .map(({ path }) => `gate definition: ${path} takes a package from outside a registry`);
}

async function explainsLock(options: TamperOptions, { path }: ChangedPath): Promise<boolean> {
  const name = posix.basename(path);
  if (
    /^(pyproject\.toml|Cargo\.toml|go\.mod|Gemfile|composer\.json|Pipfile|pnpm-workspace\.yaml)$/.test(name)
  )
    return true;
  if (name !== 'package.json') return false;
  const [before = null, after = null] = await Promise.all(
    [options.from, options.to].map((commit) => readAt(options, { commit, path })),
  );
  return dependenciesDiffer(before, after);
}

async function linkFlags(options: TamperOptions, changes: readonly ChangedPath[]): Promise<string[]> {
  const links = changes.filter(({ mode, status }) => mode === '120000' && status !== 'deleted');
  const flags = links.map(async ({ path, id }) => {
    const target = await gitText(options.git, ['cat-file', 'blob', id], { cwd: options.clone });
    const outside = posix.isAbsolute(target) || posix.join(posix.dirname(path), target).startsWith('..');
    return outside ? [`link out of the repository: ${path}`] : [];
  });
  return (await Promise.all(flags)).flat();
}
