import { lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { KeepAct } from './keep-act.ts';

/** Rounds are made each hour; after a gap of this length the clock may have jumped, or the machine was off. */
const gapMs = 7 * 86_400_000;
/** So long no work is removed then: a clock that jumped is put right within a day, or a person sees it. */
const waitMs = 86_400_000;

/** What a round of cleaning goes by. */
export interface RoundPlace {
  /** Folder of the records of cleaning. */
  folder: string;
  /** File that the last round wrote at its end. */
  lastFile: string;
  nowMs: number;
}

const noteOf = ({ folder }: RoundPlace): string => path.join(folder, 'gap');

/**
 * Until when no work is removed, because the clock went so far ahead since the last round that it cannot be trusted yet: for a day from the
 * first such round; a clock that went back again ends that at once.
 *
 * @param isDry nothing is written
 * @returns null: the clock is not doubted
 */
export function doubtedUntil(place: RoundPlace, isDry: boolean): Date | null {
  const notedMs = readNote(place);
  if (notedMs !== null && place.nowMs >= notedMs && place.nowMs - notedMs < waitMs)
    return new Date(notedMs + waitMs);
  const last = lstatSync(place.lastFile, { throwIfNoEntry: false });
  const isOver = notedMs !== null && place.nowMs >= notedMs && place.nowMs - notedMs < gapMs;
  const isGap = last !== undefined && place.nowMs - last.mtimeMs > gapMs && !isOver;
  const until = isGap ? new Date(place.nowMs + waitMs) : null;
  if (isDry) return until;
  if (isGap) writeFileSync(noteOf(place), String(place.nowMs), { mode: 0o600 });
  else if (!isOver) rmSync(noteOf(place), { force: true });
  return until;
}

/** Whether an act removes work of agents; what only saves time is made again. */
export function removesWork(act: KeepAct): boolean {
  if (act.kind === 'ref') return !act.ref.startsWith('refs/baton/fetched/');
  return act.kind === 'set-aside' || (act.kind === 'file' && act.path.split(path.sep).includes('kept-files'));
}

function readNote(place: RoundPlace): number | null {
  try {
    const ms = Number(readFileSync(noteOf(place), 'utf8'));
    return Number.isFinite(ms) && ms > 0 ? ms : null;
  } catch {
    return null;
  }
}
