import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Campaign, CampaignOptions, Findings } from '../campaign.ts';
import { findingsOf } from './histories/findings.ts';
import { coveringSeeds } from './histories/history.ts';
import { describeHistory, type Outcome } from './histories/outcome.ts';

const fullHistories = 2_000;
const shortHistories = 6;
/** A process plays so many, on databases of its own that grow with each. */
const historiesOfProcess = 100;
const progressEach = 25;
const program = fileURLToPath(new URL('./histories/play-main.ts', import.meta.url));
/** Where tests keep what they have compiled: every holder is a process, and most of its start would be that again. */
const compiled = fileURLToPath(new URL('../../../../node_modules/.cache/compile', import.meta.url));

/** Random histories of a target, judged by plain git. */
export const histories: Campaign = {
  name: 'histories',
  shows:
    'random histories of a target (conflicts textual and of meaning, gates that fail at random, holders killed, stopped and woken at any step, people who move it): it is never red, no innocent work is refused, nothing is lost, and what lands lands once',
  adds: 'histories; the first one has the seed itself, so that --seed S --trials 1 plays one again',
  isInterruptible: true,
  run: playHistories,
};

async function playHistories({ short, seed, say, trials, interrupted }: CampaignOptions): Promise<Findings> {
  const count = trials ?? (short ? shortHistories : fullHistories);
  const seeds =
    short && trials === undefined
      ? coveringSeeds(seed, count)
      : Array.from({ length: count }, (_, at) => seed + at);
  const startedMs = performance.now();
  const outcomes: Outcome[] = [];
  const failures: string[] = [];
  const note = (outcome: Outcome): void => {
    outcomes.push(outcome);
    for (const problem of outcome.problems) say(`✗ ${problem} (${describeHistory(outcome)})`);
    if (outcomes.length % progressEach === 0 || outcomes.length === count)
      say(
        `${outcomes.length} of ${count} histories, ${outcomes.filter(({ problems }) => problems.length > 0).length} broken, ${Math.round((performance.now() - startedMs) / 1_000)} s`,
      );
  };
  const parts: number[][] = [];
  const size = Math.min(historiesOfProcess, Math.ceil(count / availableParallelism()));
  for (let at = 0; at < seeds.length; at += size) parts.push(seeds.slice(at, at + size));
  const lane = async (): Promise<void> => {
    for (let part = parts.shift(); part !== undefined && !interrupted?.aborted; part = parts.shift())
      await playSome(part, { note, interrupted }).catch((error: unknown) => failures.push(String(error)));
  };
  await Promise.all(Array.from({ length: short ? 1 : availableParallelism() }, lane));
  if (interrupted?.aborted)
    failures.splice(0, failures.length, `ended early by ${String(interrupted.reason)}`);
  return findingsOf(outcomes, { failures, seconds: (performance.now() - startedMs) / 1_000 });
}

/** @throws Error when the process ends before all of them were played */
async function playSome(
  seeds: readonly number[],
  { note, interrupted }: { note: (outcome: Outcome) => void; interrupted: AbortSignal | undefined },
): Promise<void> {
  // In a group of its own: a signal to the campaign is not one to it, and it ends when it is disconnected.
  const child = fork(program, {
    ...{ execArgv: ['--conditions=@baton/source', '--no-warnings'], detached: true },
    env: { NODE_COMPILE_CACHE: compiled, ...process.env },
  });
  let left = seeds.length;
  await new Promise<void>((resolve, reject) => {
    interrupted?.addEventListener('abort', () => {
      child.once('exit', () => reject(new Error('it was interrupted')));
      if (child.connected) child.disconnect();
    });
    child.on('message', (message) => {
      left -= 1;
      note(message as Outcome);
    });
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (left === 0 && code === 0) resolve();
      else
        reject(
          new Error(
            `the process of histories ${seeds[0] ?? 0} to ${seeds.at(-1) ?? 0} ended with ${signal ?? code}, ${left} unplayed`,
          ),
        );
    });
    child.send(seeds);
  });
}
