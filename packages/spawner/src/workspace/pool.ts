import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock, Log } from '@baton/contracts';
import { reviveSlot } from './tidy-slot.ts';
import type { AttemptKey, Clone } from '../tree/clone.ts';
import { namingDisk } from '../process/full-disk.ts';
import { holderElsewhere, judgeElsewhere, tryFileLock, type FileLock } from '../process/file-lock.ts';
import { leasePorts, recoverPorts, type PortBlock } from './ports.ts';
import { resetForTask } from './reset.ts';
import { isStuck, retireSlot } from '../tree/retire-slot.ts';
import { salvage } from '../salvage/salvage.ts';
import { namesBeside, setAside, setAsideBeside } from '../salvage/set-aside.ts';
import { agentPool, inSlot, retiredIn, slotsIn, type TakenSlot } from '../tree/slots.ts';
import { hasSubmodules, submoduleDigest, submoduleLinks } from '../tree/submodules.ts';
import { forgetStaleSetup, setUp, type SetupOptions } from './setup.ts';
import { readOwnedState, saveState, type Workspace } from '../tree/workspace.ts';

/** Worktrees that are reset and handed out again, never deleted: making and deleting trees is the slowest thing we could do. */
export interface WorkspacePool {
  /**
   * Hands out a worktree set to a commit and set up. What a crash left in it is salvaged first.
   *
   * @param options.owner Attempt at work in it, under whose name a crash is salvaged; null: nothing in it is worth keeping.
   * @throws WORKSPACE_FAILED, SETUP_FAILED, PATH_OUTSIDE, GIT_FAILED
   */
  acquire(options: { head: string; owner: AttemptKey | null }): Promise<Workspace>;
  /**
   * Sets one worktree to a commit ahead of need, without its set-up: a checkout takes long, and what decides whether it is needed may, too.
   * Ends when it is there. It never fails: the next `acquire` says why there is no worktree.
   */
  prepare(options: { head: string }): Promise<void>;
  /**
   * Lays set-up again in a worktree that was reset for the next task of its batch.
   *
   * @throws SETUP_FAILED, WORKSPACE_FAILED, PATH_OUTSIDE, GIT_FAILED
   */
  setUp(workspace: Workspace): Promise<void>;
  /**
   * Takes a worktree back whose agent is dead; what was not committed or kept in it is salvaged. Returns that ref.
   *
   * @throws WORKSPACE_FAILED when the disk is full: the worktree then stays as it is, and is salvaged before its place is used again
   */
  release(workspace: Workspace): Promise<string | null>;
  /** Salvages what processes that died left in their worktrees, and frees these and their ports. What is in use is left alone. */
  recover(): Promise<void>;
  /** Gives back every worktree that is still out. Nothing is deleted. */
  close(): Promise<void>;
}

/** What a pool needs. */
export interface WorkspacePoolOptions extends Omit<SetupOptions, 'env' | 'log'> {
  clone: Clone;
  /** Absolute folder of the pool. */
  dir: string;
  /** Environment of the set-up command. */
  env: Readonly<Record<string, string>>;
  log: Log;
  clock: Clock;
}

interface Held {
  workspace: Workspace;
  lock: FileLock;
  ports: PortBlock;
}

interface Pool {
  readonly options: WorkspacePoolOptions;
  /** Folder of its slots. */
  readonly folder: string;
  readonly portsDir: string;
  /** Worktrees that are out, by path. */
  readonly held: Map<string, Held>;
  /** Worktrees that are being prepared. */
  readonly preparing: Set<Promise<void>>;
}

/** Opens a pool of worktrees. Several processes may use the same folder at once. */
export function createWorkspacePool(options: WorkspacePoolOptions): WorkspacePool {
  const { clone, log, clock } = options;
  const folder = path.join(options.dir, agentPool);
  const portsDir = path.join(clone.path, '..', '..', '..', 'ports');
  const held = new Map<string, Held>();
  const pool: Pool = { options, folder, portsDir, held, preparing: new Set() };
  return {
    async acquire(wanted) {
      const startedMs = clock.monotonicMs();
      const workspace = await namingDisk(folder, () =>
        inSlot(folder, { log, work: (taken) => takeOut(pool, taken, wanted) }),
      );
      log.info('worktree ready', {
        path: workspace.path,
        head: wanted.head,
        ms: Math.round(clock.monotonicMs() - startedMs),
      });
      return workspace;
    },
    prepare({ head }) {
      const preparing = prepareOne(pool, head).finally(() => pool.preparing.delete(preparing));
      pool.preparing.add(preparing);
      return preparing;
    },
    setUp: (workspace) => namingDisk(folder, () => layIn(workspace, options)),
    async release(workspace) {
      const mine = held.get(workspace.path);
      return mine === undefined ? null : namingDisk(folder, () => giveBack(pool, mine));
    },
    async recover() {
      await leaveOthers(pool);
      await recoverSlots(pool);
      await reviveRetired(pool);
      recoverPorts(portsDir);
    },
    async close() {
      await Promise.all(pool.preparing);
      for (const mine of [...held.values()]) await giveBack(pool, mine);
    },
  };
}

async function prepareOne({ options, folder }: Pool, head: string): Promise<void> {
  const { clone, log } = options;
  const work = async ({ slot, lock }: TakenSlot): Promise<void> => {
    try {
      const workspace = openSlot({ clone, slot, portBase: 0 });
      await salvageLeftOver(workspace, options);
      if (workspace.state.head !== head) await resetForTask(workspace, head);
    } finally {
      lock.release();
    }
  };
  await inSlot(folder, { log, work }).catch((cause: unknown) =>
    log.warn('a worktree could not be prepared', { head, cause: String(cause) }),
  );
}

async function takeOut(
  { options, portsDir, held }: Pool,
  { slot, lock }: TakenSlot,
  { head, owner }: { head: string; owner: AttemptKey | null },
): Promise<Workspace> {
  let ports: PortBlock | null = null;
  try {
    ports = leasePorts(portsDir);
    const workspace = openSlot({ clone: options.clone, slot, portBase: ports.base });
    await salvageLeftOver(workspace, options);
    await resetForTask(workspace, head);
    await layIn(workspace, options);
    saveState(workspace, { owner, beside: namesBeside(workspace) });
    held.set(workspace.path, { workspace, lock, ports });
    return workspace;
  } catch (error) {
    ports?.lock.release();
    lock.release();
    throw error;
  }
}

async function giveBack({ options, held }: Pool, { workspace, lock, ports }: Held): Promise<string | null> {
  try {
    const { owner } = workspace.state;
    const tools = { exec: options.exec, env: options.env };
    const ref = owner === null ? null : await salvage(workspace, { ...owner, tools });
    try {
      putAside(workspace, options);
      forgetStaleSetup(workspace, options.setup);
      saveState(workspace, { owner: null });
      rmSync(workspace.taskFileDir, { recursive: true, force: true });
    } catch (cause) {
      const slot = path.dirname(workspace.path);
      if (!isStuck(cause, slot)) throw cause;
      retireSlot(slot, { cause, log: options.log });
    }
    return ref;
  } finally {
    held.delete(workspace.path);
    ports.lock.release();
    lock.release();
  }
}

/** Says which worktrees belong to living processes of other hosts or containers that share the folder, once it is known. */
async function leaveOthers({ options, folder }: Pool): Promise<void> {
  const slots = slotsIn(folder).map((name) => path.join(folder, name));
  await judgeElsewhere(
    slots.map((slot) => path.join(slot, 'lock')),
    () => delay(250),
  );
  for (const slot of slots) {
    const host = holderElsewhere(path.join(slot, 'lock'));
    if (host !== null)
      options.log.info('a worktree is left alone: a process on another host or in another container has it', {
        path: slot,
        host,
      });
  }
}

/** Salvages what processes that died left in their worktrees. One worktree that can be neither saved nor moved does not block the others. */
async function recoverSlots({ options, folder }: Pool): Promise<void> {
  const { clone, log } = options;
  await eachFree(folder, slotsIn(folder), {
    work: (slot) => salvageLeftOver(openSlot({ clone, slot, portBase: 0 }), options),
    failed: (slot, cause) =>
      log.error('a worktree could not be looked after', { path: slot, cause: String(cause) }),
  });
}

async function reviveRetired({ options, folder }: Pool): Promise<void> {
  const { clone, log } = options;
  await eachFree(folder, retiredIn(folder), {
    async work(slot) {
      await salvageLeftOver(openSlot({ clone, slot, portBase: 0 }), options);
      await reviveSlot(slot);
      log.info('a worktree that was retired is in use again', { path: slot });
    },
    failed: (slot, cause) =>
      log.warn('a retired worktree still cannot be cleared', { path: slot, cause: String(cause) }),
  });
}

/** Works on each slot that is not in use, one after the other. */
async function eachFree(
  folder: string,
  names: readonly string[],
  { work, failed }: { work: (slot: string) => Promise<void>; failed: (slot: string, cause: unknown) => void },
): Promise<void> {
  for (const name of names) {
    const slot = path.join(folder, name);
    const lock = lockOf(slot);
    if (lock === null) continue;
    try {
      await work(slot);
    } catch (cause) {
      failed(slot, cause);
    } finally {
      lock.release();
    }
  }
}

async function layIn(workspace: Workspace, options: WorkspacePoolOptions): Promise<void> {
  await setUp(workspace, options);
  if (hasSubmodules(workspace))
    saveState(workspace, { submodules: await submoduleDigest(workspace, await submoduleLinks(workspace)) });
}

/** A worktree is still marked as someone's only when the process that had it died. */
async function salvageLeftOver(
  workspace: Workspace,
  { log, clock, setup }: Pick<WorkspacePoolOptions, 'log' | 'clock' | 'setup'>,
): Promise<void> {
  const { owner } = workspace.state;
  if (owner === null) return;
  const ref = await salvage(workspace, owner);
  putAside(workspace, { log, clock });
  forgetStaleSetup(workspace, setup);
  if (ref !== null) log.warn('work of a crashed attempt was salvaged', { ...owner, ref });
  saveState(workspace, { owner: null });
}

/** A tree with work that is nowhere else is never reset or handed out again, and what lies beside it goes with it. */
function putAside(workspace: Workspace, { log, clock }: Pick<WorkspacePoolOptions, 'log' | 'clock'>): void {
  const now = clock.now();
  for (const moved of [setAside(workspace, { now }), setAsideBeside(workspace, { now })]) {
    if (moved === null) continue;
    const { taskId, fence, path: kept, ref, why } = moved;
    log.warn('set aside: not all of it could be saved', { taskId, fence, path: kept, ref, why });
  }
}

/** Null also where the file system refuses: the next use of that slot shows it. */
function lockOf(slot: string): FileLock | null {
  try {
    return tryFileLock(path.join(slot, 'lock'));
  } catch {
    return null;
  }
}

function openSlot({ clone, slot, portBase }: { clone: Clone; slot: string; portBase: number }): Workspace {
  const metaDir = path.join(slot, 'meta');
  const tree = path.join(slot, 'tree');
  const taskFileDir = path.join(slot, 'task');
  for (const dir of [metaDir, taskFileDir]) mkdirSync(dir, { recursive: true, mode: 0o700 });
  return {
    path: tree,
    gitDir: path.join(tree, '.git'),
    taskFileDir,
    portBase,
    clone,
    metaDir,
    state: readOwnedState(metaDir),
  };
}
