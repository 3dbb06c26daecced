import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gitText } from '../git/git.ts';
import { copySource, sourcesState } from '../workspace/copy-sources.ts';
import { fileLock, tryFileLock } from '../process/file-lock.ts';
import { resetTree } from '../workspace/reset.ts';
import { runSetupCommand } from '../workspace/run-setup.ts';
import { embedSubmodules } from '../tree/submodules.ts';
import { nulList, treeGitText, type Workspace } from '../tree/workspace.ts';
import { markMoment } from '../tree/changed-since.ts';
import { enterArgv } from './enter.ts';
import { nameSetUp, type NamedSetUp, type SetUpName } from './name-set-up.ts';
import { mountPoint, setupsDir, slotsDir, treeAt, type VerifyContext } from './place-files.ts';
import { removeTree } from '../tree/remove-tree.ts';
import { usesFile } from '../tree/slots.ts';

/** What set-up makes, in a place where no check ever runs. */
export interface SetUpLayer {
  key: string;
  /** False: what it was copied from changed each time, so that it may be of no state that ever was. */
  isSteady: boolean;
  /** Absolute folder: what lies below is laid over the tree. */
  files: string;
  /** File of the moment when they were made: see `changedSince`. */
  made: string;
  /** What set-up left in the tree, folders as one. */
  paths: string[];
  /** Whether it initialised submodules. */
  hasSubmodules: boolean;
}

/** Which commit is judged, onto which one it would land, and who asks. */
export interface LayerWish {
  head: string;
  onto: string;
  /** Absolute folder of the slot that will use it. */
  slot: string;
  portBase: number;
  /** Its name, if it was named a moment ago. */
  named?: SetUpName | undefined;
}

/** How often a set-up is made whose sources keep changing: a server at work on them must not hold up a verification. */
const mostMakes = 3;
/** Unused set-ups that are kept. */
const keptUnused = 3;

/**
 * The set-up for a commit, made now if there is none. One that serves the target as well is made from the target's tree: code that
 * only a candidate has never runs in what others are judged with. One that the candidate alone needs is the candidate's alone.
 *
 * @throws SETUP_FAILED, WORKSPACE_FAILED, PATH_OUTSIDE, GIT_FAILED
 */
export async function setUpLayer(given: VerifyContext, wish: LayerWish): Promise<SetUpLayer | null> {
  const first = wish.named ?? (await nameSetUp(given, wish));
  if (first.setup === null) return null;
  const context = { ...given, setup: first.setup };
  let name: NamedSetUp = first;
  let layer: SetUpLayer | null = null;
  for (let makes = 1; layer === null; makes += 1) {
    const isLast = makes === mostMakes || name.key === null;
    layer = await layerOf(context, { wish, name, isLast });
    if (layer === null) name = { ...name, ...(await againNamed(given, wish)) };
  }
  if (!layer.isSteady)
    context.log.warn('what set-up copies changed while it was copied', { from: context.sourceRoot });
  await dropUnused(context, wish.slot);
  return layer;
}

async function againNamed(given: VerifyContext, wish: LayerWish): Promise<Partial<NamedSetUp>> {
  const { setup, ...name } = await nameSetUp(given, wish);
  return setup === null ? {} : { setup, ...name };
}

/** The set-up of this name, made now if there is none; null: what it is copied from changed, and it is not the last that is made. */
async function layerOf(
  context: VerifyContext,
  { wish, name, isLast }: { wish: LayerWish; name: NamedSetUp; isLast: boolean },
): Promise<SetUpLayer | null> {
  const own = name.key ?? unsteadyKey(name, wish.slot);
  const folder = path.join(setupsDir(context, wish.slot), own);
  const make = (at: string) => makeLayer(context, { ...wish, folder: at, from: name.from });
  mkdirSync(path.dirname(folder), { recursive: true, mode: 0o700 });
  const lock = await fileLock(`${folder}.lock`, () => delay(100));
  try {
    writeFileSync(usesFile(wish.slot), own);
    if (name.key !== null && isReady(folder)) {
      touch(path.join(folder, 'ready'));
      return layerAt(folder, true);
    }
    const paths = await make(folder);
    const isSteady =
      name.key !== null && (await sourcesState(name.setup, context.sourceRoot)) === name.sources;
    if (isSteady) {
      writeFileSync(path.join(folder, 'ready'), JSON.stringify(paths));
      return layerAt(folder, true);
    }
    if (!isLast) {
      await removeLayer(folder);
      return null;
    }
    // No other slot takes it for the set-up of a state that it may not be: it gets a name that only this slot uses.
    const last = path.join(path.dirname(folder), unsteadyKey(name, wish.slot));
    writeFileSync(usesFile(wish.slot), path.basename(last));
    if (last !== folder) {
      await removeLayer(last);
      renameSync(folder, last);
    }
    writeFileSync(path.join(last, 'ready'), JSON.stringify(paths));
    return layerAt(last, false);
  } finally {
    lock.release();
  }
}

function unsteadyKey(name: NamedSetUp, slot: string): string {
  return createHash('sha256').update(`${name.from} changing ${slot}`).digest('hex').slice(0, 32);
}

/** Forgets a set-up that somebody wrote into. */
export async function discardLayer(layer: SetUpLayer): Promise<void> {
  const folder = path.dirname(layer.files);
  const lock = await fileLock(`${folder}.lock`, () => delay(100));
  try {
    await removeLayer(folder);
  } finally {
    lock.release();
  }
}

function isReady(folder: string): boolean {
  return existsSync(path.join(folder, 'made')) && readyPaths(folder) !== null;
}

/** What set-up left in the tree, as its maker wrote down at the very end; null: it died before, or half-way through writing. */
function readyPaths(folder: string): string[] | null {
  try {
    return JSON.parse(readFileSync(path.join(folder, 'ready'), 'utf8')) as string[];
  } catch {
    return null;
  }
}

function layerAt(folder: string, isSteady: boolean): SetUpLayer {
  return {
    isSteady,
    key: path.basename(folder),
    files: path.join(folder, 'files'),
    made: path.join(folder, 'made'),
    paths: readyPaths(folder) ?? [],
    hasSubmodules: existsSync(path.join(folder, 'submodules')),
  };
}

/** Makes a set-up but for the file that says that it is whole; gives what that file is to hold. */
async function makeLayer(
  context: VerifyContext,
  options: LayerWish & { folder: string; from: string },
): Promise<string[]> {
  const { folder, slot } = options;
  const draft = `${folder}.new`;
  await removeLayer(folder);
  await removeTree(draft);
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  // Without namespaces it is made where commands will see it: programs that are installed hold that path.
  const tree = context.isolation.kind === 'overlay' ? path.join(draft, 'files') : path.join(slot, 'tree');
  await removeTree(tree);
  const workspace = treeAt(context.clone, { tree, metaDir: path.join(draft, 'meta') });
  await resetTree(workspace, options.from);
  await fill(context, workspace, options.portBase);
  const others = ['ls-files', '-z', '--others', '--directory', '--no-empty-directory'];
  const paths = nulList(await treeGitText(workspace, others))
    .map((file) => file.replace(/\/$/, ''))
    .filter((file) => file !== '.git');
  if (await embedSubmodules(workspace)) writeFileSync(path.join(draft, 'submodules'), '');
  await dropTracked(workspace);
  if (tree !== path.join(draft, 'files')) renameSync(tree, path.join(draft, 'files'));
  renameSync(draft, folder);
  await markMoment(path.join(folder, 'made'));
  return paths;
}

async function fill(context: VerifyContext, workspace: Workspace, portBase: number): Promise<void> {
  const { setup, sourceRoot, isolation, exec, log } = context;
  if (setup === null) return;
  if (sourceRoot === null && setup.symlink.length + setup.copy.length > 0)
    log.warn('files cannot be copied into worktrees: the checkout is on another machine', {});
  for (const file of sourceRoot === null ? [] : [...setup.symlink, ...setup.copy]) {
    const isThere = await copySource(workspace.path, file, { ...context, sourceRoot: sourceRoot ?? '' });
    if (!isThere) log.warn('a file or folder to be copied into worktrees does not exist', { file });
  }
  if (setup.setup === undefined) return;
  const scratch = path.join(workspace.metaDir, 'tmp');
  mkdirSync(scratch, { recursive: true });
  const env = { ...context.env, BATON_PORT_BASE: String(portBase) };
  if (isolation.kind === 'copy') {
    await runSetupCommand(setup.setup, { setup, exec, env, cwd: workspace.path });
    return;
  }
  const tree = mountPoint(context);
  mkdirSync(tree, { recursive: true });
  const view = {
    runDir: scratch,
    tree,
    show: { bind: workspace.path },
    hidden: [slotsDir(context)],
    readOnly: [context.clone.path],
  };
  const argv = enterArgv(isolation.namespaces, { view, command: setup.setup });
  await runSetupCommand(argv, { setup, exec, env, cwd: '/' });
}

/** Leaves only what set-up made: the tree's own files come from the commit that is judged. */
async function dropTracked(workspace: Workspace): Promise<void> {
  const { git, path: bare } = workspace.clone;
  const empty = await gitText(git, ['mktree'], { cwd: bare, stdin: '' });
  await treeGitText(workspace, ['read-tree', '--reset', '-u', empty]);
  await removeTree(workspace.gitDir);
  rmSync(path.join(workspace.metaDir, 'index'), { force: true });
  mkdirSync(workspace.path, { recursive: true });
}

/** Removes what no slot uses but for the newest few: each commit that changes a lock file leaves one. */
async function dropUnused(context: VerifyContext, slot: string): Promise<void> {
  const dir = setupsDir(context, slot);
  const isKey = (name: string): boolean => /^[0-9a-f]{32}$/.test(name);
  const age = (name: string): number =>
    statSync(path.join(dir, name, 'ready'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const unused = readdirSync(dir)
    .filter((name) => isKey(name) && !usedKeys(context).includes(name))
    .sort((a, b) => age(b) - age(a));
  for (const name of unused.slice(keptUnused)) {
    const lock = tryFileLock(path.join(dir, `${name}.lock`));
    if (lock === null) continue;
    try {
      if (!usedKeys(context).includes(name)) await removeLayer(path.join(dir, name));
    } finally {
      lock.release();
    }
  }
}

function usedKeys(context: VerifyContext): string[] {
  const slots = slotsDir(context);
  return readdirSync(slots).flatMap((name) => {
    const file = usesFile(path.join(slots, name));
    return existsSync(file) ? [readFileSync(file, 'utf8')] : [];
  });
}

async function removeLayer(folder: string): Promise<void> {
  rmSync(path.join(folder, 'ready'), { force: true });
  await removeTree(folder);
}

function touch(file: string): void {
  const now = new Date(statSync(file).ctimeMs);
  utimesSync(file, now, now);
}
