import { lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Exec, Ids } from '@baton/contracts';
import { judgeElsewhere, tryFileLock } from '../process/file-lock.ts';
import { removeDeadUsers } from '../tree/clone-users.ts';
import { doubtedUntil, removesWork } from './clock-jump.ts';
import { applyKeep } from './apply-keep.ts';
import { journalFolder, recordActs } from './journal.ts';
import type { KeepAct } from './keep-act.ts';
import { planKeep, type KeepOptions } from './plan-keep.ts';

/** What a round of tidying works with. */
export interface TidyOptions extends Omit<KeepOptions, 'short'> {
  exec: Exec;
  ids: Ids;
  /** A round that ended less than this long ago will do. */
  notWithinMs?: number;
  /** The same of a round that found too little room; as `notWithinMs` when left out. */
  fullWithinMs?: number;
  /** True: nothing is changed, the acts say what would be done. */
  dryRun?: boolean;
}

/** What a round did. */
export interface Tidied {
  acts: KeepAct[];
  /** Bytes that the state folder takes after it; null: not measured, for no limit is set. */
  bytes: number | null;
  /** Set when it still takes more than it may: new work should wait. */
  full: string | null;
  /**
   * Work that outlived its retention and was not removed, because no round was made for more than a week and the clock may have jumped; a
   * round after `until` removes it. Null: there is none.
   */
  doubted: { until: Date; kept: KeepAct[] } | null;
  /** True: another process is at it, or was lately; `full` is what it found. */
  skipped: boolean;
}

/**
 * One round: lists what has outlived its retention, records it, removes it. With a limit on the room, what only saves time (idle worktrees)
 * goes at once when the limit is exceeded; nothing that an unsettled task needs is ever touched. No work goes where the clock is doubted.
 *
 * @throws GIT_FAILED
 */
export async function tidyState(options: TidyOptions): Promise<Tidied> {
  const folder = journalFolder(options.stateDir);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const place = path.join(folder, 'lock');
  await judgeElsewhere([place], () => delay(250));
  const lock = tryFileLock(place);
  if (lock === null) return skipped(options);
  try {
    if (endedLately(options)) return skipped(options);
    const { maxBytes } = options.rules;
    const before = maxBytes === null ? null : await measure(options);
    const short = before !== null && maxBytes !== null && before > maxBytes;
    const round = { folder, lastFile: lastFile(options), nowMs: options.clock.now().getTime() };
    const until = doubtedUntil(round, options.dryRun === true);
    const all = await planKeep({ ...options, short });
    const kept = until === null ? [] : all.filter(removesWork);
    const planned = all.filter((act) => !kept.includes(act));
    const acts = options.dryRun === true || planned.length === 0 ? planned : await carryOut(options, planned);
    const bytes = short && options.dryRun !== true && acts.length > 0 ? await measure(options) : before;
    const full = reasonOfFull(options, bytes);
    if (options.dryRun !== true) {
      removeDeadUsers(options.stateDir);
      writeFileSync(lastFile(options), full ?? '');
    }
    const doubted = until === null || kept.length === 0 ? null : { until, kept };
    return { acts, bytes, full, doubted, skipped: false };
  } finally {
    lock.release();
  }
}

function skipped(options: TidyOptions): Tidied {
  const isThere = lstatSync(lastFile(options), { throwIfNoEntry: false })?.isFile() === true;
  const said = isThere ? readFileSync(lastFile(options), 'utf8') : '';
  return { acts: [], bytes: null, full: said === '' ? null : said, doubted: null, skipped: true };
}

/** Says whether the last round found too little room; its time of change is when that round ended. */
function lastFile({ stateDir }: TidyOptions): string {
  return path.join(journalFolder(stateDir), 'last');
}

function endedLately(options: TidyOptions): boolean {
  const { notWithinMs, fullWithinMs = notWithinMs } = options;
  const last = lstatSync(lastFile(options), { throwIfNoEntry: false });
  const withinMs = (last?.size ?? 0) > 0 ? fullWithinMs : notWithinMs;
  if (withinMs === undefined || last === undefined) return false;
  return options.clock.now().getTime() - last.mtimeMs < withinMs;
}

async function carryOut(options: TidyOptions, planned: readonly KeepAct[]): Promise<KeepAct[]> {
  const record = recordActs(options, planned);
  const done = await applyKeep(options, planned);
  record.close(done);
  return done;
}

function reasonOfFull({ rules, stateDir }: TidyOptions, bytes: number | null): string | null {
  if (bytes === null || rules.maxBytes === null || bytes <= rules.maxBytes) return null;
  return `${stateDir} takes ${sizeText(bytes)}, and retention.disk in baton.yaml allows ${sizeText(rules.maxBytes)}`;
}

/** In the unit in which `baton.yaml` could say it, so that what is too little is never told as 0.0. */
function sizeText(bytes: number): string {
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

/** Bytes on disk below the state folder; null where they cannot be counted. */
async function measure({ exec, stateDir }: TidyOptions): Promise<number | null> {
  const counted = await exec(['du', '-s', '-k', stateDir], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    timeoutMs: 10 * 60_000,
  });
  // When a file is removed while it counts, `du` ends with 1 and prints the sum all the same.
  const kib = /^(\d+)\s/m.exec(counted.stdout)?.[1];
  return kib === undefined ? null : Number(kib) * 1024;
}
