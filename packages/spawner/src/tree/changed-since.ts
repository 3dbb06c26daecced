import { lstatSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setImmediate as breathe, setTimeout as delay } from 'node:timers/promises';
import path from 'node:path';
import { BatonError, type Exec } from '@baton/contracts';

/** What lists folders. */
export interface ListTools {
  exec: Exec;
  env: Readonly<Record<string, string>>;
  /** Entry of the folder itself that is left out, with all that is in it: a plain name. */
  except?: string;
}

/** Entries that are looked at between two turns of the event loop. */
const atOnce = 2_000;
const shown = 5;
/** File systems take the time of a change from a clock that ticks: every ten milliseconds on most, every two seconds on the oldest. */
const longestTickMs = 5_000;

/**
 * Notes this moment in a file on the same file system: later {@link changedSince} lists what was written after it. What was written
 * before the call counts as before. It waits until that file system's clock has advanced, so that the two can be told apart.
 *
 * @param file Absolute path; not below a folder that is looked at.
 * @throws WORKSPACE_FAILED when the clock does not advance
 */
export async function markMoment(file: string): Promise<void> {
  rmSync(file, { force: true });
  writeFileSync(file, '');
  const moment = timeOf(file);
  const probe = `${file}.tick`;
  try {
    for (let waitedMs = 0; waitedMs < longestTickMs; waitedMs += 1) {
      writeFileSync(probe, '.');
      if (timeOf(probe) > moment) return;
      await delay(1);
    }
  } finally {
    rmSync(probe, { force: true });
  }
  throw new BatonError('WORKSPACE_FAILED', `The clock of the file system of ${file} does not advance.`, {
    fix: 'Keep the state of Baton ($BATON_HOME) on a local disk.',
    at: file,
  });
}

/** In nanoseconds: as a number it would be rounded, and two changes of one tick could be taken for two. */
export const timeOf = (file: string): bigint => statSync(file, { bigint: true }).mtimeNs;

/**
 * What was written below a folder since a moment, also where it was put back: every change of an entry sets its time of change, or that
 * of its folder, and no program can set that time.
 *
 * @param mark File of {@link markMoment}.
 * @returns at most 5 paths, sorted; empty: nothing was written.
 * @throws WORKSPACE_FAILED
 */
export async function changedSince(folder: string, mark: string, tools: ListTools): Promise<string[]> {
  const found = process.platform === 'linux' ? await byFind(folder, mark, tools) : null;
  const changed = found ?? (await byWalk(folder, { since: timeOf(mark), except: tools.except }));
  return changed
    .map((entry) => (entry === '' ? '.' : entry))
    .sort()
    .slice(0, shown);
}

/** GNU find looks at 20,000 entries in a tenth of the time; null where there is another. */
async function byFind(
  folder: string,
  mark: string,
  { exec, env, except }: ListTools,
): Promise<string[] | null> {
  const without = except === undefined ? [] : ['-path', `./${except}`, '-prune', '-o'];
  const argv = ['find', '.', ...without, '-cnewer', mark, '-printf', '%P\\0'] as const;
  const ended = await exec([...argv], { cwd: folder, env, timeoutMs: 10 * 60_000 });
  if (ended.exitCode === 0) return ended.stdout.split('\0').slice(0, -1);
  if (ended.spawnError !== undefined || /unrecognized|unknown predicate|-printf/.test(ended.stderr))
    return null;
  throw new BatonError(
    'WORKSPACE_FAILED',
    `${folder} cannot be listed: ${ended.stderr.trim().slice(0, 500)}`,
    { fix: 'See that nothing else writes there and that the disk has room, then try again.', at: folder },
  );
}

async function byWalk(
  top: string,
  { since, except }: { since: bigint; except: string | undefined },
): Promise<string[]> {
  const changed: string[] = [];
  const waiting: string[] = [];
  let seen = 0;
  const look = (entry: string): void => {
    const stat = lstatSync(path.join(top, entry), { bigint: true, throwIfNoEntry: false });
    if (stat === undefined || stat.ctimeNs > since) changed.push(entry);
    if (stat?.isDirectory() === true) waiting.push(entry);
  };
  look('');
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const name of readdirSync(path.join(top, folder))) {
      if (folder === '' && name === except) continue;
      look(path.join(folder, name));
      if ((seen += 1) % atOnce === 0) await breathe();
    }
  }
  return changed;
}
