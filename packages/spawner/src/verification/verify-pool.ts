import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { BatonError, type CheckPlace, type Clock, type PlaceRun } from '@baton/contracts';
import { tryFileLock } from '../process/file-lock.ts';
import { fullDisk, namingDisk } from '../process/full-disk.ts';
import { noRoom } from '../process/no-room.ts';
import { leasePorts, recoverPorts, type PortBlock } from '../workspace/ports.ts';
import { resetTree } from '../workspace/reset.ts';
import { retireSlot } from '../tree/retire-slot.ts';
import { heldCommit, noteHeld } from '../tree/held-commit.ts';
import { inSlot, retiredIn, slotsIn, type TakenSlot } from '../tree/slots.ts';
import { indexFile, treeGit, type Workspace } from '../tree/workspace.ts';
import { changedSince, markMoment } from '../tree/changed-since.ts';
import { findIsolation, type Isolation, type IsolationWish } from './isolation.ts';
import { nameSetUp, type SetUpName } from './name-set-up.ts';
import { mountPoint, slotsDir, treeAt, type VerifyContext } from './place-files.ts';
import { removeTree } from '../tree/remove-tree.ts';
import { runOnCopy, writeGitSettings } from './run-copy.ts';
import { runOnOverlay } from './run-overlay.ts';
import { discardLayer, setUpLayer, type SetUpLayer } from './set-up-layer.ts';
import { withScratch } from './scratch.ts';
import { reviveSlot, tidySlot } from '../workspace/tidy-slot.ts';

/** Which commit is judged, onto which one it would land, and the name of its set-up, if it was asked for a moment ago. */
export interface PlaceWish {
  head: string;
  onto: string;
  named?: SetUpName | undefined;
}

/** Places where commits are verified, each made for one verification: nothing that was written in one reaches another. */
export interface VerifyPool {
  /**
   * Lets `judge` run commands on a commit with its set-up. What it decides counts only when no other process wrote into tree or
   * set-up in between; else it is asked again on a new place, at most twice.
   *
   * @param options.head Commit that is judged.
   * @param options.onto Commit that it would land on; the same for a base.
   * @param options.named What {@link VerifyPool.nameSetUp} said a moment ago: then the files are not looked at once more.
   * @throws TREE_DISTURBED, SETUP_FAILED, WORKSPACE_FAILED, PATH_OUTSIDE, GIT_FAILED
   */
  use<T>(options: PlaceWish, judge: (place: CheckPlace) => Promise<T>): Promise<T>;
  /**
   * Names the set-up that a commit would be judged with, by the state of all that it is copied from. Nothing is made.
   *
   * @throws PATH_OUTSIDE, CONFIG_INVALID, GIT_FAILED
   */
  nameSetUp(wish: { head: string; onto: string }): Promise<SetUpName>;
  /** Removes what processes that died left. What is in use is left alone. */
  recover(): Promise<void>;
}

/** What a pool needs. */
export interface VerifyPoolOptions extends Omit<VerifyContext, 'isolation' | 'dir'> {
  /** Absolute folder of the pool. */
  dir: string;
  clock: Clock;
  /** How commands are kept apart; default `auto`. */
  isolation?: IsolationWish;
}

/** Fresh starts after somebody else wrote into what was judged. */
const mostStarts = 3;

/** Opens a pool of places to verify in. Several processes may use the same folder at once. */
export function createVerifyPool(options: VerifyPoolOptions): VerifyPool {
  const dir = path.join(options.dir, 'verify');
  const env = { CI: '1', ...options.env };
  let isolation: Promise<Isolation> | null = null;
  const opened = async (): Promise<VerifyContext> => {
    isolation ??= findIsolation({ ...options, dir, wish: options.isolation ?? 'auto' });
    const found = await isolation.catch((error: unknown) => {
      isolation = null;
      throw error;
    });
    const context = { ...options, env, dir, isolation: found };
    for (const folder of [slotsDir(context), mountPoint(context)])
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    return context;
  };
  const useOne: VerifyPool['use'] = async (wish, judge) => {
    const context = await opened();
    let touched: string[] = [];
    for (let starts = 0; starts < mostStarts; starts += 1) {
      const named = starts === 0 ? wish.named : undefined;
      const done = await once(context, { wish: { ...wish, named }, judge, clock: options.clock });
      if ('answer' in done) return done.answer;
      ({ touched } = done);
      options.log.warn('files under judgement were changed from outside; verified again from fresh ones', {
        touched,
      });
    }
    throw disturbed(touched);
  };
  return {
    use: (wish, judge) => namingDisk(dir, () => useOne(wish, judge)),
    nameSetUp: (wish) => namingDisk(dir, async () => nameSetUp(await opened(), wish)),
    async recover() {
      const context = await opened();
      const folder = slotsDir(context);
      for (const name of slotsIn(folder)) await tidyIdle(path.join(folder, name), { context, act: tidySlot });
      for (const name of retiredIn(folder))
        await tidyIdle(path.join(folder, name), { context, act: reviveSlot });
      recoverPorts(portsDirOf(context));
    },
  };
}

/** One slot that cannot be cleared does not hold up the others. */
async function tidyIdle(
  slot: string,
  { context, act }: { context: VerifyContext; act: (slot: string) => Promise<void> },
): Promise<void> {
  try {
    const lock = tryFileLock(path.join(slot, 'lock'));
    if (lock === null) return;
    await act(slot).finally(() => lock.release());
  } catch (cause) {
    retireSlot(slot, { cause, log: context.log });
  }
}

async function once<T>(
  context: VerifyContext,
  { wish, judge, clock }: { wish: PlaceWish; judge: (place: CheckPlace) => Promise<T>; clock: Clock },
): Promise<{ answer: T } | { touched: string[] }> {
  const work = (taken: TakenSlot) => judgeIn(context, taken, { wish, judge, clock });
  return inSlot(slotsDir(context), { log: context.log, work });
}

async function judgeIn<T>(
  context: VerifyContext,
  { slot, lock }: TakenSlot,
  { wish, judge, clock }: { wish: PlaceWish; judge: (place: CheckPlace) => Promise<T>; clock: Clock },
): Promise<{ answer: T } | { touched: string[] }> {
  const startedMs = clock.monotonicMs();
  let ports: PortBlock | null = null;
  try {
    ports = leasePorts(portsDirOf(context));
    await tidySlot(slot);
    // Side by side: neither looks at what the other makes. Both are over before the slot is given up.
    const [made, laid] = await Promise.allSettled([
      setUpLayer(context, { ...wish, slot, portBase: ports.base }),
      layTree(context, { slot, head: wish.head }),
    ]);
    if (laid.status === 'rejected') throw laid.reason;
    if (made.status === 'rejected') throw made.reason;
    const layer = made.value;
    const place = await lay(context, { slot, head: wish.head, layer, tree: laid.value });
    const ms = Math.round(clock.monotonicMs() - startedMs);
    context.log.info('a place to verify in is ready', {
      slot,
      head: wish.head,
      way: context.isolation.kind,
      ms,
    });
    const answer = await judge(place.check);
    const touched = await place.touched();
    if (touched.length === 0) return { answer };
    await place.discard();
    return { touched };
  } finally {
    // What was judged counts all the same.
    await tidySlot(slot).catch((cause: unknown) => retireSlot(slot, { cause, log: context.log }));
    ports?.lock.release();
    lock.release();
  }
}

/**
 * A command that failed on a full disk says nothing about the tree, unless it filled the disk itself: then there is room once all
 * that it wrote is gone. Neither does one that could not be started because processes, open files or memory had run out.
 *
 * @param options.tree Copy that it wrote into, which nothing else reads.
 * @throws WORKSPACE_FAILED
 */
async function judgedWithRoom(
  { dir }: VerifyContext,
  { ended, tree }: { ended: PlaceRun; tree: string | null },
): Promise<PlaceRun> {
  const crowded = noRoom('A command of the verification', {
    error: ended.spawnError,
    code: 'WORKSPACE_FAILED',
  });
  if (crowded !== null) throw crowded;
  if (ended.exitCode === 0 || ended.aborted || fullDisk(dir, null) === null) return ended;
  if (tree !== null) await removeTree(tree);
  const full = fullDisk(dir, null);
  if (full !== null) throw full;
  return ended;
}

interface Laid {
  check: CheckPlace;
  /** What another process wrote in between. */
  touched(): Promise<string[]>;
  /** Forgets tree and set-up: they are made again. */
  discard(): Promise<void>;
}

/** It holds the same commit afterwards. */
async function refreshIndex(workspace: Workspace, head: string): Promise<void> {
  const isHeld = heldCommit(workspace) === head;
  await treeGit(workspace, ['update-index', '-q', '--refresh']);
  if (isHeld) noteHeld(workspace, head);
}

interface LaidTree {
  workspace: Workspace;
  /** It held another commit before. */
  isOther: boolean;
}

/** The tree alone; a copy is laid by the command that it is for. */
async function layTree(
  { clone, isolation }: VerifyContext,
  { slot, head }: { slot: string; head: string },
): Promise<LaidTree> {
  const isOverlay = isolation.kind === 'overlay';
  const tree = path.join(slot, isOverlay ? 'lower' : 'tree');
  const workspace = treeAt(clone, { tree, metaDir: path.join(slot, 'meta') });
  const isOther = workspace.state.head !== head;
  if (isOverlay) await resetTree(workspace, head);
  return { workspace, isOther };
}

async function lay(
  context: VerifyContext,
  { slot, head, layer, tree }: { slot: string; head: string; layer: SetUpLayer | null; tree: LaidTree },
): Promise<Laid> {
  const { isolation } = context;
  const isOverlay = isolation.kind === 'overlay';
  const { workspace, isOther } = tree;
  const mark = path.join(slot, 'meta', 'laid');
  if (isOverlay) {
    writeGitSettings(workspace, layer);
    await markMoment(mark);
  }
  let runs = 0;
  const rewritten = new Set<string>();
  return {
    check: {
      rewritten,
      setUp: layer?.paths ?? [],
      setUpKey: layer === null ? '' : layer.isSteady ? layer.key : null,
      commit: head,
      run: (argv, options) =>
        withScratch({ slot, env: context.env }, async (scratch) => {
          const runDir = path.join(slot, `run-${(runs += 1)}`);
          mkdirSync(runDir, { recursive: true, mode: 0o700 });
          const own = { ...options, env: { CI: '1', ...options.env, TMPDIR: scratch } };
          const command = { argv, options: own, runDir };
          const run: Promise<PlaceRun> =
            isolation.kind === 'overlay'
              ? runOnOverlay(
                  { context, namespaces: isolation.namespaces, slot, lower: workspace, layer },
                  command,
                )
              : runOnCopy({ context, workspace, head, layer, rewritten }, command);
          return run.finally(() => removeTree(runDir).catch(() => undefined)); // seen again when the slot is tidied
        }).then((ended) => judgedWithRoom(context, { ended, tree: isOverlay ? null : workspace.path })),
    },
    touched: async () => {
      const looks = [
        ...(isOverlay ? [changedSince(workspace.path, mark, context)] : []),
        ...(layer === null ? [] : [changedSince(layer.files, layer.made, context)]),
      ];
      // Git compares files that are as young as its index by content, at every reset until the index is refreshed. The index of a tree
      // that was touched is forgotten with it.
      const refresh = isOverlay && isOther ? refreshIndex(workspace, head) : undefined;
      const [touched] = await Promise.all([Promise.all(looks).then((found) => found.flat()), refresh]);
      return touched;
    },
    async discard() {
      await removeTree(workspace.path);
      rmSync(indexFile(workspace), { force: true });
      if (layer !== null) await discardLayer(layer);
    },
  };
}

function portsDirOf({ clone }: Pick<VerifyContext, 'clone'>): string {
  return path.join(clone.path, '..', '..', '..', 'ports');
}

function disturbed(touched: readonly string[]): BatonError {
  return new BatonError(
    'TREE_DISTURBED',
    `Another process changed the files under judgement in each of ${mostStarts} verifications: ${touched.join(', ')}.`,
    {
      fix: 'End what an agent left running on this machine, then `baton retry` the task.',
      details: { touched },
    },
  );
}
