import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Git } from '@baton/contracts';
import { gitText } from '../git.ts';

/** A ref of Baton's clone that keeps what an attempt made. */
export interface KeptRef {
  repo: string;
  ref: string;
  id: string;
  purpose: 'attempts' | 'salvage';
  taskId: string;
  fence: number;
}

/** A file or folder with the time of its last change, in milliseconds since the epoch. */
export interface Aged {
  path: string;
  changedMs: number;
}

/** Baton's clones in a state folder, absolute. */
export function clonesIn(stateDir: string): string[] {
  const folder = path.join(stateDir, 'repos');
  return namesIn(folder)
    .map((name) => path.join(folder, name, 'clone.git'))
    .filter((bare) => isFolder(bare));
}

/** The refs of a clone that belong to attempts, at most `limit`. @throws GIT_FAILED */
export async function keptRefs(
  git: Git,
  { repo, limit }: { repo: string; limit: number },
): Promise<KeptRef[]> {
  const args = ['for-each-ref', `--count=${limit}`, '--sort=refname', '--format=%(objectname) %(refname)'];
  const printed = await gitText(git, [...args, 'refs/baton/attempts', 'refs/baton/salvage'], { cwd: repo });
  return printed.split('\n').flatMap((line) => {
    const [, id = '', ref = '', purpose = '', taskId = '', fence = ''] =
      /^(\S+) (refs\/baton\/(attempts|salvage)\/([0-9a-f-]{36})\/(\d+)(?:[./][^/]+)*)$/.exec(line) ?? [];
    if (purpose !== 'attempts' && purpose !== 'salvage') return [];
    return [{ repo, ref, id, purpose, taskId, fence: Number(fence) }];
  });
}

/** Worktrees of all pools in a state folder with the time when their record last changed; remains of removed ones apart. */
export function worktreesIn(stateDir: string): { slots: Aged[]; remains: string[] } {
  const root = path.join(stateDir, 'worktrees');
  const pools = foldersIn(root).flatMap(foldersIn).flatMap(foldersIn);
  // Those of verification stand one level deeper, beside what set-up made.
  const places = pools.flatMap((pool) => [pool, path.join(pool, 'slots')]);
  const slots: Aged[] = [];
  const remains: string[] = [];
  for (const slot of places.flatMap(foldersIn)) {
    const name = path.basename(slot);
    if (/^w\d+\.gone$/.test(name)) remains.push(slot);
    if (!/^w\d+$/.test(name)) continue;
    const record = changedMs(path.join(slot, 'meta', 'state.json'));
    if (record !== null) slots.push({ path: slot, changedMs: record });
  }
  return { slots, remains };
}

/** Logs of agents and runs. */
export function logsIn(logsDir: string): Aged[] {
  return namesIn(logsDir).flatMap((name) => {
    const file = path.join(logsDir, name);
    const stat = lstatSync(file, { throwIfNoEntry: false });
    return /\.log(\.\d+)?$/.test(name) && stat?.isFile() === true
      ? [{ path: file, changedMs: stat.mtimeMs }]
      : [];
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function foldersIn(folder: string): string[] {
  return namesIn(folder)
    .map((name) => path.join(folder, name))
    .filter(isFolder);
}

function isFolder(place: string): boolean {
  return lstatSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
}

function changedMs(file: string): number | null {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  return stat?.isFile() === true ? stat.mtimeMs : null;
}
