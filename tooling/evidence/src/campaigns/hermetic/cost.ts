import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { workspaceSetup, type Clock, type Log } from '@baton/contracts';
import { createExec, createGit, createVerifyPool, createWorkspacePool, openClone } from '@baton/spawner';
import { tempDir } from '@baton/testkit';
import { makeBenchRepo } from '../bench-repo.ts';

/** What a verification costs, in milliseconds: median of several. */
export interface Cost {
  /** Worktree reset with its packages left in place, one command in it. */
  plainMs: number;
  /** The same command in a place of its own. */
  hermeticMs: number;
  ratio: number;
}

const clock: Clock = { now: () => new Date(), monotonicMs: () => performance.now() };
const quiet: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Compares a plain reset with a hermetic place on a repository of so many files and installed packages, in turn. */
export async function costOf(size: { files: number; installed: number; rounds: number }): Promise<Cost> {
  await using folder = await tempDir();
  const repo = path.join(folder.path, 'repo');
  mkdirSync(repo);
  await makeBenchRepo(repo, { files: size.files, seed: 1 });
  install(repo, size.installed);
  const env = { PATH: process.env['PATH'] ?? '' };
  const exec = createExec({ clock });
  const git = createGit({ exec, env });
  const clone = await openClone({ git, stateDir: folder.path, repoId: 'r', location: repo });
  const head = await clone.fetchTarget('main');
  const setup = workspaceSetup.parse({ symlink: ['node_modules'] });
  const common = { clone, exec, env, log: quiet, setup, sourceRoot: repo, clock };
  const plain = createWorkspacePool({ ...common, dir: path.join(folder.path, 'plain') });
  const hermetic = createVerifyPool({ ...common, dir: path.join(folder.path, 'hermetic') });
  const run = { env, timeoutMs: 60_000 };
  const plainOnce = async (): Promise<void> => {
    const workspace = await plain.acquire({ head, owner: null });
    await exec(['true'], { ...run, cwd: workspace.path });
    await git(['status', '--porcelain', '--untracked-files=no'], { cwd: workspace.path });
    await plain.release(workspace);
  };
  const hermeticOnce = (): Promise<unknown> =>
    hermetic.use({ head, onto: head }, (place) => place.run(['true'], run));
  const times: { plain: number[]; hermetic: number[] } = { plain: [], hermetic: [] };
  for (let round = 0; round <= size.rounds; round += 1) {
    const [one, other] = [await timed(plainOnce), await timed(hermeticOnce)];
    if (round === 0) continue; // the first makes clone, checkout and set-up
    times.plain.push(one);
    times.hermetic.push(other);
  }
  const [plainMs, hermeticMs] = [median(times.plain), median(times.hermetic)];
  return { plainMs, hermeticMs, ratio: Number((hermeticMs / plainMs).toFixed(2)) };
}

/** Packages of 33 files of 15 kB each. */
function install(repo: string, count: number): void {
  const content = 'x'.repeat(15_000);
  for (let made = 0; made < count; made += 1) {
    const folder = path.join(repo, 'node_modules', `p${Math.floor(made / 33)}`, 'lib');
    if (made % 33 === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, `f${made % 33}.js`), content);
  }
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const started = clock.monotonicMs();
  await act();
  return clock.monotonicMs() - started;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0);
}
