import { posix } from 'node:path';
import type { Gate } from '@baton/contracts';
import { changeBegins, type ChangedFile, type Line } from './changed-file.ts';
import { wordsOf } from './command-words.ts';
import { definesGates, foreignSource, gateLines, hasGateLines, isLockFile } from './gate-files.ts';
import { gatePrograms, type GatePrograms } from './gate-programs.ts';
import { addedAliases, dependenciesDiffer, packageFlags } from './gate-scripts.ts';
import { otherSettings } from './given-world.ts';
import { isTestSettings } from './known-settings.ts';
import { isHarmless, isOfNewFolder } from './harmless-settings.ts';
import { hidesPaths, newlyHidden } from './hidden-paths.ts';
import {
  findTogether,
  listPaths,
  readAt,
  readFiles,
  type ChangedPath,
  type MeasuredChange,
} from './read-change.ts';
import { isPrintedOtherwise } from './printed-settings.ts';
import { isTestPath } from './test-paths.ts';

/** A change, the gates it must pass, and the paths of it that are looked at. */
export interface DefinitionOptions extends MeasuredChange {
  gates: readonly Gate[];
  /** Everything that the change touches. */
  changes: readonly ChangedPath[];
  /** What of it the plan did not ask for by its exact name. */
  unasked: readonly ChangedPath[];
}

/** One edit of what defines a gate's command. */
export interface DefinitionFlag {
  path: string;
  text: string;
}

/**
 * Edits to what defines a gate's command: scripts, Makefile, CI, configuration of runners and linters, installed packages, lock files
 * without their manifest, and patterns that hide files from tools. @throws GIT_FAILED
 */
export async function definitionFlags(options: DefinitionOptions): Promise<DefinitionFlag[]> {
  const older = new Set(options.unasked.filter(({ status }) => status !== 'added').map(({ path }) => path));
  const programs = older.size === 0 ? none : await gatePrograms(options, options.gates);
  const runs = (path: string) => older.has(path) && programs.files.has(path);
  const concerns = ({ path }: ChangedPath) =>
    definesGates(path) ||
    isInstalled(path) ||
    runs(path) ||
    hasGateLines(path) ||
    hidesPaths(path) ||
    isTestSettings(path);
  const isNew = await newFolders(options);
  const paths = options.unasked.filter(concerns).map(({ path }) => path);
  const files = new Map((await readFiles(options, paths)).map((file) => [file.path, file]));
  const tracked = paths.some(hidesPaths) ? await listPaths(options, options.to) : [];
  const own = options.unasked
    .filter((change) => concerns(change) && !isNew(change))
    .flatMap((change) => {
      const { path } = change;
      // A file without lines, such as an empty one, has no diff.
      const file = files.get(path) ?? { path, before: [], after: [], removed: [], added: [] };
      return textsOf(change, { file, tracked, runs: runs(path) }).map((text) => ({ path, text }));
    });
  return [...own, ...(await manifestFlags(options, programs)), ...(await lockFlags(options))];
}

/** Which settings that the change adds are about nothing but what it adds. @throws GIT_FAILED */
async function newFolders(options: DefinitionOptions): Promise<(change: ChangedPath) => boolean> {
  const isAsked = options.unasked.some(({ path, status }) => status === 'added' && definesGates(path));
  if (!isAsked) return () => false;
  const before = await listPaths(options, options.from);
  return (change) => definesGates(change.path) && isOfNewFolder(change, { before, changes: options.changes });
}

const none: GatePrograms = { files: new Set(), scripts: new Map() };

function textsOf(
  { path, status }: ChangedPath,
  { file, tracked, runs }: { file: ChangedFile; tracked: readonly string[]; runs: boolean },
): string[] {
  const place = `${path}:${changeBegins(file)}`;
  if ((definesGates(path) || /\.(?:toml|cfg)$/.test(path)) && isHarmless(file)) return [];
  if (hasGateLines(path) && isPrintedOtherwise(file)) return [];
  if (definesGates(path)) return [`gate definition: ${place} ${status}`];
  const setting = otherSettings(file);
  if (setting !== null) return [`gate definition: ${path}:${setting}, a setting of tests, ${status}`];
  if (isInstalled(path)) return [`gate definition: ${place} ${status}, in installed packages`];
  if (runs && isTestPath(path) && runsMoreTests(file)) return [];
  if (runs && onlyCleansUp(file)) return [];
  if (runs) return [`gate definition: ${place}, which a gate runs, ${status}`];
  if (hidesPaths(path))
    return newlyHidden(file, tracked)
      .slice(0, 3)
      .map(({ at, pattern, path: hidden }) => `gate definition: ${path}:${at} hides ${hidden} by ${pattern}`);
  const lines = gateLines(file);
  const sections = new Map(
    lines.flatMap(({ at, section }) => (section === null ? [] : [[section, at]])).reverse() as [
      string,
      number,
    ][],
  );
  const worded = lines.find(({ section }) => section === null);
  return [
    ...[...sections].map(([section, at]) => `gate definition: [${section}] changed, ${path}:${at}`),
    ...(worded === undefined ? [] : [`gate definition: ${path}:${worded.at} ${status}`]),
  ];
}

/** Whether a program of tests only got calls of more tests. */
function runsMoreTests({ removed, added }: ChangedFile): boolean {
  const names = ({ text }: Line) => text.trim() === '' || wordsOf(text).map(posix.normalize).some(isTestPath);
  return removed.length === 0 && added.every(names);
}

/** Whether a file that tests load only got calls that put back what a test has replaced. */
function onlyCleansUp({ before, removed, added }: ChangedFile): boolean {
  const cleans =
    /^\s*(?:await\s+)?(?:cleanup\(\)|(?:vi|jest|sinon|mock|nock|server)\.(?:useRealTimers|restoreAllMocks|unstubAllEnvs|unstubAllGlobals|restore|restoreAll|cleanAll|resetHandlers)\(\));?\s*$/;
  return before.length > 0 && removed.length === 0 && added.every(({ text }) => cleans.test(text));
}

function isInstalled(path: string): boolean {
  return /(^|\/)(?:node_modules|\.venv|venv|site-packages|vendor\/bin|\.yarn\/(?:releases|plugins))\/|(^|\/)\.pnp\.(?:cjs|loader\.mjs)$/.test(
    path,
  );
}

async function manifestFlags(
  options: DefinitionOptions,
  { scripts }: GatePrograms,
): Promise<DefinitionFlag[]> {
  const manifests = options.unasked.filter(({ path }) => posix.basename(path) === 'package.json');
  const flags = manifests.map(async ({ path }) => {
    const [before = null, after = null] = await bothVersions(options, path);
    const reached = scripts.get(path) ?? new Set();
    const hasUnreadAliases = await areUnread(options, addedAliases(before, after));
    const change = { path, before, after, gates: options.gates, reached, hasUnreadAliases };
    return packageFlags(change).map((text) => ({ path, text }));
  });
  return (await Promise.all(flags)).flat();
}

/** Whether there are names, and no test of the tree has one of them. */
async function areUnread(range: DefinitionOptions, names: readonly string[]): Promise<boolean> {
  const found = await Promise.all(names.map((name) => findTogether(range, [name.replace(/\*.*$/, '')])));
  return names.length > 0 && !found.flat().some(({ path }) => isTestPath(path));
}

/** A lock file may follow its manifest; changed on its own, or towards a source that is no registry, it swaps tools unseen. */
async function lockFlags(options: DefinitionOptions): Promise<DefinitionFlag[]> {
  const locks = options.unasked.filter(({ path }) => isLockFile(path));
  if (locks.length === 0) return [];
  const explained = await Promise.all(options.changes.map((change) => explainsLock(options, change)));
  const files = await readFiles(
    options,
    locks.map(({ path }) => path),
  );
  if (!explained.includes(true))
    return locks.map(({ path, status }) => {
      const at = changeBegins(files.find((file) => file.path === path) ?? { added: [], removed: [] });
      return { path, text: `gate definition: lock file ${path}:${at} ${status} without its manifest` };
    });
  return files.flatMap(({ path, added }) => {
    const foreign = added.find(({ text }) => foreignSource([text]));
    if (foreign === undefined) return [];
    return [{ path, text: `gate definition: ${path}:${foreign.at} takes a package from outside a registry` }];
  });
}

async function explainsLock(options: DefinitionOptions, { path }: ChangedPath): Promise<boolean> {
  const name = posix.basename(path);
  if (
    /^(pyproject\.toml|Cargo\.toml|go\.mod|Gemfile|composer\.json|Pipfile|pnpm-workspace\.yaml)$/.test(name)
  )
    return true;
  if (name !== 'package.json') return false;
  const [before = null, after = null] = await bothVersions(options, path);
  return dependenciesDiffer(before, after);
}

async function bothVersions(options: DefinitionOptions, path: string): Promise<(string | null)[]> {
  return Promise.all([options.from, options.to].map((commit) => readAt(options, { commit, path })));
}
