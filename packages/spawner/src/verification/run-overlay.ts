import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { BatonError, type ExecResult, type PlaceRun, type PlaceRunOptions } from '@baton/contracts';
import { hardenedGit } from '../git/git.ts';
import { noRoom } from '../process/no-room.ts';
import { copyIndex, indexFile, nulList, treeGitText, type Workspace } from '../tree/workspace.ts';
import { enterArgv, missingMark, mountedMark, type Namespaces, type View } from './enter.ts';
import { leftBehind, touchesTracked, type Written } from './left-behind.ts';
import { mountPoint, slotsDir, setupsDir, type VerifyContext } from './place-files.ts';
import { writtenText } from './written-text.ts';
import type { SetUpLayer } from './set-up-layer.ts';

/** One tree with its set-up, as layers that no command can write. */
export interface OverlayPlace {
  context: VerifyContext;
  namespaces: Namespaces;
  slot: string;
  /** The tree, checked out. */
  lower: Workspace;
  layer: SetUpLayer | null;
}

const lookTimeoutMs = 5 * 60_000;
/** Entries of what a command wrote that are looked at one by one. */
const mostEntries = 50_000;

/**
 * Runs one command on an overlay of the layers with an empty top. What it writes goes to the top, processes that it leaves end with
 * it, and nothing outside of its namespaces sees the mount. Then the top is looked at from outside.
 *
 * @throws WORKSPACE_FAILED when the overlay cannot be mounted, GIT_FAILED
 */
export async function runOnOverlay(
  place: OverlayPlace,
  {
    argv,
    options,
    runDir,
  }: { argv: readonly [string, ...string[]]; options: PlaceRunOptions; runDir: string },
): Promise<PlaceRun> {
  for (const name of ['upper', 'work']) mkdirSync(path.join(runDir, name), { recursive: true });
  const { context, namespaces, slot } = place;
  const view = viewOf(place, { runDir, upper: true });
  const hidden = [slotsDir(context), setupsDir(context, slot)].filter((folder) => existsSync(folder));
  const command = enterArgv(namespaces, { view: { ...view, hidden }, command: argv });
  const ended = await context.exec(command, { ...execOptions(options), cwd: '/' });
  const nothing = { changed: [], left: [], tree: null };
  if (ended.aborted) return { ...ended, ...nothing };
  if (!existsSync(path.join(runDir, mountedMark))) {
    if (ended.timedOut) return { ...ended, ...nothing };
    throw (
      noRoom('A command of the verification', { error: ended.spawnError, code: 'WORKSPACE_FAILED' }) ??
      mountFailed(ended, runDir)
    );
  }
  const isMissing = existsSync(path.join(runDir, missingMark)) && ended.exitCode === 127;
  const result = isMissing ? { ...ended, exitCode: null, spawnError: 'ENOENT' } : ended;
  const { keepFile } = options;
  // Only what the command wrote is in the top.
  const kept = keepFile === undefined ? null : writtenText(path.join(runDir, 'upper'), { file: keepFile });
  return { ...result, kept, ...(await lookAt(place, { runDir, keepTree: options.keepTree === true })) };
}

function execOptions({
  keepTree: _,
  keepFile: __,
  ...rest
}: PlaceRunOptions): Omit<PlaceRunOptions, 'keepTree' | 'keepFile'> {
  return rest;
}

function viewOf(
  { context, layer }: OverlayPlace,
  { runDir, upper }: { runDir: string; upper: boolean },
): View {
  // Short relative names: an absolute path could hold characters that mean something to mount(8).
  const below = layer === null ? [] : [`../../../setups/${layer.key}/files`];
  return {
    runDir,
    tree: mountPoint(context),
    show: { layers: [...(upper ? [] : ['upper']), '../lower', ...below], upper },
    hidden: [],
    readOnly: upper ? [context.clone.path] : [],
  };
}

async function lookAt(
  place: OverlayPlace,
  { runDir, keepTree }: { runDir: string; keepTree: boolean },
): Promise<Pick<PlaceRun, 'changed' | 'left' | 'tree'>> {
  const written = await listUpper(path.join(runDir, 'upper'));
  if (written.entries.length === 0) return { changed: [], left: [], tree: null };
  const tracked = nulList(await treeGitText(place.lower, ['ls-files', '-z']));
  const left = leftBehind(written, tracked);
  if (!touchesTracked(written, tracked)) return { changed: [], left, tree: null };
  const index = path.join(runDir, 'index');
  copyIndex(indexFile(place.lower), index);
  const git = (args: readonly string[]) => gitOnResult(place, { runDir, index, args });
  const diff = [
    'diff',
    '--name-only',
    '-z',
    '--no-ext-diff',
    '--no-textconv',
    '--no-renames',
    '--ignore-submodules=all',
  ];
  const isTracked = new Set(tracked);
  // What git could not see is removed and uncovers what lies below: a tracked file that it had replaced counts as changed.
  const replaced = clearSpecial(path.join(runDir, 'upper'), written).filter((file) => isTracked.has(file));
  const changed = [...new Set([...nulList(await git(diff)), ...replaced])].sort();
  if (changed.length === 0 || !keepTree) return { changed, left, tree: null };
  await git(['add', '-u', '--', '.']);
  return { changed, left, tree: (await git(['write-tree'])).trim() };
}

/** Runs Baton's git, with Baton's index, on what the command left: its top as one more layer, which stays unwritten. */
async function gitOnResult(
  { context, namespaces, ...place }: OverlayPlace,
  { runDir, index, args }: { runDir: string; index: string; args: readonly string[] },
): Promise<string> {
  const { prefix, env } = hardenedGit(context.env);
  const view = viewOf({ context, namespaces, ...place }, { runDir, upper: false });
  const own = ['--git-dir', context.clone.path, '--work-tree', view.tree, ...prefix];
  const ended = await context.exec(enterArgv(namespaces, { view, command: ['git', ...own, ...args] }), {
    cwd: '/',
    env: { ...env, GIT_INDEX_FILE: index },
    timeoutMs: lookTimeoutMs,
  });
  if (ended.exitCode === 0 && !ended.truncated) return ended.stdout;
  throw new BatonError(
    'GIT_FAILED',
    `What a check left in its tree cannot be compared: git ${args[0]} ended with ${ended.exitCode ?? ended.signal}: ${ended.stderr.trim().slice(0, 500)}`,
    { fix: 'Verify again; if it persists, see what the check writes into the tree.' },
  );
}

/** Removes pipes and sockets that a command left, since git waits at a pipe in place of its attributes; gives their names. */
function clearSpecial(top: string, { entries }: Written): string[] {
  const special = entries.filter(({ kind }) => kind === 'special').map((entry) => entry.path);
  for (const file of special) rmSync(path.join(top, file), { force: true });
  return special;
}

async function listUpper(top: string): Promise<Written> {
  const entries: Written['entries'] = [];
  const waiting = [''];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const name of namesIn(path.join(top, folder))) {
      const file = path.join(folder, name);
      if (file === '.git') continue;
      if (entries.length >= mostEntries) return { entries, isWhole: false };
      const stat = lstatSync(path.join(top, file), { throwIfNoEntry: false });
      if (stat === undefined) continue;
      const isGone = stat.isCharacterDevice() && stat.rdev === 0;
      const isPlain = stat.isFile() || stat.isSymbolicLink();
      const other = isGone ? 'gone' : isPlain ? 'file' : 'special';
      entries.push({ path: file, kind: stat.isDirectory() ? 'folder' : other });
      if (stat.isDirectory()) waiting.push(file);
      if (entries.length % 1_000 === 0) await breathe();
    }
  }
  return { entries, isWhole: true };
}

/** A command may have taken its own rights away; then git decides, which fails closed. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function mountFailed(ended: ExecResult, runDir: string): BatonError {
  return new BatonError(
    'WORKSPACE_FAILED',
    `The tree to verify cannot be mounted: ${ended.stderr.trim().slice(0, 500) || `ended with ${ended.exitCode ?? ended.signal}`}`,
    { fix: 'Set BATON_VERIFY=copy to verify in full copies, and see `baton doctor`.', at: runDir },
  );
}
