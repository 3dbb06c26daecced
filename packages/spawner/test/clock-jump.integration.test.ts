import path from 'node:path';
import { utimesSync } from 'node:fs';
import { expect, test } from 'vitest';
import { journalFolder, tidyState, type Tidied } from '../src/index.ts';
import { clock, exec, git } from './support/real.ts';
import { workspaces } from './support/workspaces.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const key = { taskId: '01a20000-0000-7000-8000-000000000001', fence: 1 };

/** A clone with an attempt of a settled task that ended now, and rounds of upkeep at given times from now. */
async function settled() {
  const w = await workspaces({ 'a.txt': 'one\n' });
  const ref = await w.clone.keepAttempt({ ...key, commit: w.head });
  const startMs = clock.now().getTime();
  const rounds: Pick<Tidied, 'doubted'>[] = [];
  const round = async (laterMs: number, { dryRun = false } = {}) => {
    const now = new Date(startMs + laterMs);
    const { acts, doubted } = await tidyState({
      ...{ git, exec, stateDir: w.state.path, logsDir: path.join(w.state.path, 'logs'), dryRun },
      rules: { attemptsMs: 30 * dayMs, salvageMs: 90 * dayMs, worktreesMs: null, maxBytes: null },
      clock: { ...clock, now: () => now },
      ids: { uuid: () => String(laterMs) },
      endOf: () => Promise.resolve(new Date(startMs)),
      runsOf: () => Promise.resolve([]),
    });
    // What the system's clock says when the round ends.
    if (!dryRun) utimesSync(path.join(journalFolder(w.state.path), 'last'), now, now);
    rounds.push({ doubted });
    return acts.filter(({ kind }) => kind === 'ref').length;
  };
  return { w, ref, round, rounds, startMs, [Symbol.asyncDispose]: () => w[Symbol.asyncDispose]() };
}

test('a clock that jumps years ahead removes no work, in one round or in many of that day, and none once it is put right', async () => {
  await using one = await settled();
  const { w, ref, round } = one;
  await round(0);
  const jumpMs = 3_650 * dayMs;
  expect(await round(jumpMs, { dryRun: true })).toBe(0);
  for (const ms of [0, 1, hourMs, 12 * hourMs]) expect(await round(jumpMs + ms)).toBe(0);
  // It is put right, and jumps again.
  expect(await round(13 * hourMs)).toBe(0);
  expect(await round(jumpMs + 20 * hourMs)).toBe(0);
  expect(await w.clone.resolve(ref)).toBe(w.head);
});

test('work that outlived its time goes a day after a machine that was off for long is on again', async () => {
  await using one = await settled();
  const { w, ref, round } = one;
  await round(0);
  expect(await round(40 * dayMs)).toBe(0);
  expect(await round(40 * dayMs + 23 * hourMs)).toBe(0);
  expect(await round(41 * dayMs + hourMs)).toBe(1);
  expect(await w.clone.resolve(ref)).toBeNull();
});

test('a round that keeps work for the doubt about the clock says what it keeps and until when, a dry one too', async () => {
  await using one = await settled();
  const { ref, round, rounds, startMs } = one;
  await round(0);
  await round(40 * dayMs, { dryRun: true });
  await round(40 * dayMs);
  await round(40 * dayMs + 23 * hourMs);
  await round(41 * dayMs + hourMs);
  const said = {
    until: new Date(startMs + 41 * dayMs),
    kept: [expect.objectContaining({ kind: 'ref', ref })],
  };
  expect(rounds.map(({ doubted }) => doubted)).toEqual([null, said, said, said, null]);
});

test('with rounds all the time, work goes when its time is over', async () => {
  await using one = await settled();
  for (let day = 0; day <= 30; day += 6) expect(await one.round(day * dayMs - 1)).toBe(0);
  expect(await one.round(30 * dayMs + 1)).toBe(1);
});
