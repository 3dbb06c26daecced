import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Git } from '@baton/contracts';
import { seededRandom } from '@baton/testkit';
import {
  commitTask,
  createWorkspacePool,
  openClone,
  type AttemptKey,
  type Clone,
} from '../../../src/index.ts';
import { clock, env, exec, git, quietLog } from '../../support/real.ts';
import { workspaces } from '../../support/workspaces.ts';
import { actions, baseFiles } from './actions.ts';
import type { Dice } from './agent-tools.ts';
import { lostOf, takeInventory, type Inventory } from './judge.ts';

/** How an agent ended. */
export const ends = ['clean', 'killed', 'crashed in salvage'] as const;

/** One case: what is done in the worktree, in order, and how it ends. */
export interface SalvageCase {
  name: string;
  seed: number;
  does: readonly string[];
  end: (typeof ends)[number];
  /** Number of the git call at which a worker dies, for `crashed in salvage`. */
  dieAt: number;
}

/** What became of one case. */
export interface Played {
  problems: string[];
  outcome: 'committed' | 'refused' | 'salvaged' | 'set aside' | 'nothing';
  ms: number;
}

/** Far beyond what a loaded machine needs: what takes longer hangs. */
const longestMs = 300_000;

/** Cases by chance: a seed gives the same ones. */
export function generate({ seed, count }: { seed: number; count: number }): SalvageCase[] {
  const random = seededRandom(seed);
  const under = (most: number) => Math.floor(random() * most);
  const all = Object.keys(actions);
  return Array.from({ length: count }, (_, at) => {
    const writes = Array.from({ length: 1 + under(3) }, () => 'write');
    const others = Array.from({ length: under(5) }, () => all[under(all.length)] ?? 'write');
    const does = [...writes, ...others].map((name) => ({ name, at: random() })).sort((a, b) => a.at - b.at);
    const end = ends[under(3)] ?? 'clean';
    return {
      name: `${seed}/${at}`,
      seed: seed * 100_003 + at,
      does: does.map(({ name }) => name),
      end,
      dieAt: under(24),
    };
  });
}

/** One case for each thing that agents do, beside ordinary edits. */
export function singles(): SalvageCase[] {
  return Object.keys(actions).map((does, at) => ({
    name: `single/${does}`,
    seed: at + 1,
    does: ['write', does, 'append'],
    end: 'killed',
    dieAt: 0,
  }));
}

/** The repository, clone and pool that many cases share. */
export async function openGround() {
  return workspaces(baseFiles);
}

type Ground = Awaited<ReturnType<typeof openGround>>;

/** Plays one case through the real pool, and judges it by reading files. */
export async function play(ground: Ground, one: SalvageCase): Promise<Played> {
  const started = performance.now();
  const attempt = { taskId: `task-${one.name.replace(/\W/g, '-')}`, fence: 1 };
  const over = new AbortController();
  // A timer that holds the process: a promise that nothing will ever settle holds nothing.
  const hung = delay(longestMs, null, { signal: over.signal }).then(() => ({
    problems: [`hung for ${longestMs} ms`],
    outcome: 'nothing' as const,
  }));
  hung.catch(() => undefined);
  const played = playIt(ground, one, attempt).catch((error: unknown) => ({
    problems: [`threw ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`],
    outcome: 'nothing' as const,
  }));
  const done = await Promise.race([played, hung]);
  over.abort();
  return { ...done, ms: performance.now() - started };
}

async function playIt(ground: Ground, one: SalvageCase, attempt: AttemptKey): Promise<Omit<Played, 'ms'>> {
  const dying = dyingGit(one.end === 'crashed in salvage' ? one.dieAt : Infinity);
  const clone = { ...ground.clone, git: dying.git };
  const dir = path.join(ground.state.path, 'pools', attempt.taskId);
  const options = { ...ground.poolOptions, clone, dir };
  const pool = createWorkspacePool(options);
  const workspace = await pool.acquire({ head: ground.head, owner: attempt });
  const before = takeInventory(workspace.path);
  act(workspace.path, one);
  const left = takeInventory(workspace.path);
  const outside = besideOf(dir);
  dying.arm();
  let committed: 'committed' | 'refused' | null = null;
  const work = async () => {
    if (one.end === 'clean') {
      committed = await commitTask(workspace, {
        git,
        startCommit: ground.head,
        message: 'm',
        trailers: {},
      }).then(
        async ({ headCommit }) => {
          await ground.clone.keepAttempt({ ...attempt, commit: headCommit });
          return 'committed' as const;
        },
        (error: { code?: string }) => {
          if (error.code !== 'WORK_NOT_COMMITTABLE') throw error;
          return 'refused' as const;
        },
      );
    }
    await pool.release(workspace);
  };
  const died = await Promise.race([work().then(() => false), dying.died.then(() => true)]);
  const after = died ? await recovered(ground, { dir, attempt }) : ground.clone;
  return judge(ground, { attempt, before, left, outside, clone: after, dir, committed });
}

/** What lies in the folders beside the worktree, which are not Baton's. */
function besideOf(dir: string): Inventory {
  const found: Inventory = new Map();
  for (const name of readdirSync(dir).filter((one) => one.startsWith('beside-')))
    for (const [file, ids] of takeInventory(path.join(dir, name))) found.set(`${name}/${file}`, ids);
  return found;
}

/** Takes away what a case mounted in a folder, the uppermost first, so that removing the folder removes nothing else. */
function unmount(folder: string): void {
  if (process.platform !== 'linux' || !existsSync(folder)) return;
  const points = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => (line.split(' ')[4] ?? '').replaceAll('\\040', ' '))
    .filter((point) => point.startsWith(`${realpathSync(folder)}/`));
  for (const point of points.reverse()) spawnSync('umount', ['--lazy', point], { stdio: 'ignore' });
}

function act(root: string, { does, seed, name }: SalvageCase): void {
  const random = seededRandom(seed);
  let count = 0;
  const dice: Dice = {
    pick: (from) => from[Math.floor(random() * from.length)] as never,
    text: () => `text ${name} ${(count += 1)}\n`,
  };
  for (const step of does) {
    try {
      actions[step]?.(root, dice);
    } catch (error) {
      // An earlier step may have taken away what this one needs, as between two commands of an agent.
      if (!/^(E[A-Z]+|ERR_FS)/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
}

/** A git with whose n-th call its process dies: the call runs, or does not, and nobody hears of it. */
function dyingGit(dieAt: number) {
  let calls = 0;
  let isArmed = false;
  let die = () => undefined as void;
  const died = new Promise<void>((resolve) => (die = resolve));
  const never = new Promise<never>(() => undefined);
  const wrapped: Git = async (args, options) => {
    if (!isArmed) return git(args, options);
    calls += 1;
    if (calls > dieAt) {
      die();
      return never;
    }
    const result = await git(args, options);
    if (calls !== dieAt) return result;
    die();
    return never;
  };
  return { git: wrapped, died, arm: () => (isArmed = true) };
}

/** What the next process finds: the lock's holder is dead, and everything else is as it was. */
async function recovered(ground: Ground, { dir }: { dir: string; attempt: AttemptKey }): Promise<Clone> {
  for (const slot of readdirSync(path.join(dir, 'agent')))
    rmSync(path.join(dir, 'agent', slot, 'lock'), { recursive: true, force: true });
  const clone = await openClone({
    git,
    stateDir: ground.state.path,
    repoId: 'r1',
    location: ground.repo.path,
  });
  const pool = createWorkspacePool({ ...ground.poolOptions, clone, dir });
  await pool.recover();
  return clone;
}

async function judge(
  ground: Ground,
  {
    attempt,
    before,
    left,
    outside,
    clone,
    dir,
    committed,
  }: {
    attempt: AttemptKey;
    before: Inventory;
    left: Inventory;
    outside: Inventory;
    clone: Clone;
    dir: string;
    committed: 'committed' | 'refused' | null;
  },
): Promise<Omit<Played, 'ms'>> {
  const problems = await lostOf({
    clone,
    git,
    attempt,
    base: ground.head,
    before,
    left,
    isCommitted: committed === 'committed',
  });
  const pool = createWorkspacePool({ ...ground.poolOptions, exec, env, log: quietLog, clock, clone, dir });
  const next = await pool.acquire({ head: ground.head, owner: null });
  const fresh = takeInventory(next.path);
  for (const [file, [id]] of before)
    if (fresh.get(file)?.[0] !== id) problems.push(`not as it was for the next task: ${file}`);
  for (const file of fresh.keys())
    if (!before.has(file) && !file.startsWith('.git/')) problems.push(`left for the next task: ${file}`);
  await pool.close();
  const besides = besideOf(dir);
  for (const [file, [id]] of outside)
    if (besides.get(file)?.[0] !== id) problems.push(`changed outside of the worktree: ${file}`);
  const aside = path.join(path.dirname(clone.path), 'set-aside', attempt.taskId);
  const isAside = existsSync(aside);
  // Cases of the same ground are under way: only what this one mounted is taken away.
  // A folder that lies below another's mount cannot be removed before that is taken away.
  for (const folder of [dir, aside]) unmount(folder);
  for (const folder of [dir, aside]) rmSync(folder, { recursive: true, force: true });
  const hasRef = (await clone.salvageRefs(attempt.taskId)).length > 0;
  const outcome = isAside ? 'set aside' : (committed ?? (hasRef ? 'salvaged' : 'nothing'));
  return { problems: lstatSync(clone.path).isDirectory() ? problems : ['the clone is gone'], outcome };
}
