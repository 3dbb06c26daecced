import { setTimeout as delay } from 'node:timers/promises';

import { BatonError } from '@baton/contracts';
import { carryCommand, type Run } from '@baton/task-store';
import { systemClock, systemIds } from '@baton/service/system';
import { createWorker } from '@baton/worker';

import type { Call } from '../terminal/call.ts';
import type { Project } from '../project/project.ts';
import { exitCodes } from '../terminal/render-error.ts';
import { canAsk } from '../terminal/ask.ts';
import { askApprovals } from './ask-approval.ts';
import { landedLoss, type LandedLoss } from './landed-loss.ts';
import { beginTimes } from './begin-times.ts';
import { followRun, takeSnapshot } from './follow.ts';
import { reasonParts } from '../terminal/reason-text.ts';
import { heldBy, wayOut, type Held } from './held.ts';
import { createOutage, outlast, withWayBack, type Outage } from './outage.ts';
import { handleInterrupts, leftLine, whatIsLeft } from './interrupt.ts';
import type { Engine } from './open-engine.ts';
import { isIdle, type RunSnapshot } from './progress-lines.ts';
import { createProgress, type Progress } from './progress.ts';
import { renderSummary, runResult, type RunResult } from './summary.ts';
import { widthOfTerminal } from '../terminal/output.ts';

/** Agents at work are given this long to end when a run is over but for them. */
const drainMs = 30_000;
/** Where somebody drains the worker of a run, its agents have as long as those of any worker. */
const askedDrainMs = 30 * 60_000;
/** A narrower terminal (or one that does not tell its width) gets plain lines. */
const minColumns = 40;
/** After a second Ctrl-C the database is given this long to say what is left. */
const lastLookMs = 1_000;
/** After a second Ctrl-C the database is given this long to close. */
const hurryMs = 3_000;

interface ExecuteRunOptions {
  engine: Engine;
  project: Project;
  run: Run;
  /** Agents at work at once. */
  capacity: number;
  /** Prints the result of a run that is done, in place of its summary. @returns the exit code */
  tellDone?: TellDone | undefined;
}

/** Prints the result of a run that is done. @returns the exit code */
export type TellDone = (result: RunResult) => Promise<number>;

/** The run as it was seen last. */
interface Seen {
  last: RunSnapshot | null;
}

/**
 * Carries a run out in this process: a worker narrowed to it, progress, and a summary.
 * @returns the exit code
 * @throws BASE_RED and others that stopped the run before any work
 */
export async function executeRun(call: Call, options: ExecuteRunOptions): Promise<number> {
  const startedMs = systemClock.monotonicMs();
  const { engine, project } = options;
  const { isTTY, columns = 0 } = call.streams.stderr;
  const live = isTTY === true && columns >= minColumns && !call.env.ci;
  const progress = createProgress({ out: call.out, streams: call.streams, live }, { clock: systemClock });
  const interrupted = new AbortController();
  const seen: Seen = { last: null };
  const outage = createOutage({ say: (text) => progress.say(text), clock: systemClock });
  const forget = handleInterrupts({
    onFirst: () => {
      progress.say('Stopping the agents; their work is saved. Press Ctrl-C again to end at once.');
      interrupted.abort();
    },
    onSecond: () => void endAtOnce(call, { engine, progress, seen, startedMs }),
  });
  try {
    const { last, drained } = await work(call, options, {
      ...{ progress, seen, outage, signal: interrupted.signal },
    });
    progress.close();
    const ended = interrupted.signal.aborted ? 'interrupted' : drained ? 'drained' : null;
    const lost = await landedLoss({ store: engine.access.store, project }, last.run);
    const told = { last: await withAgents(last, engine), project, lost, startedMs, ended } as const;
    if (options.tellDone === undefined || last.run.status !== 'done' || lost !== null)
      return tell(call, told);
    return await options.tellDone(
      runResult(told.last, { durationMs: systemClock.monotonicMs() - startedMs }),
    );
  } catch (error) {
    throw withWayBack(error, options.run);
  } finally {
    progress.close();
    forget();
  }
}

/** The end of a run with all its agents, also those that ended, and when each began. */
async function withAgents(last: RunSnapshot, { access: { store } }: Engine): Promise<RunSnapshot> {
  const [sessions, begun] = await Promise.all([
    store.tasks.sessions({ runId: last.run.id }),
    beginTimes(store, last.attempts),
  ]);
  return { ...last, sessions, begun };
}

async function work(
  call: Call,
  { engine, project, run, capacity }: ExecuteRunOptions,
  { progress, seen, outage, signal }: { progress: Progress; seen: Seen; outage: Outage; signal: AbortSignal },
): Promise<{ last: RunSnapshot; drained: boolean }> {
  const { access, plugins, log } = engine;
  let snapshot = await takeSnapshot(access, run.id);
  seen.last = snapshot;
  const worker = createWorker({
    store: access.store,
    stateDir: project.state.dir,
    capacity,
    // Labels choose among workers. `baton run` has chosen this one: without them the run would wait without end.
    labels: [...new Set(snapshot.tasks.flatMap((task) => task.labels))],
    runId: run.id,
    timing: { headWaitMs: call.env.headWaitMs, requestMs: call.env.requestMs },
    operatorEnv: call.env.all,
    isolation: call.env.isolation,
    clock: systemClock,
    ids: systemIds,
    log,
    keep: engine.keep,
    ...(plugins ? { plugins } : {}),
  });
  const drained = new AbortController();
  const follow = (until: AbortSignal) =>
    followRun(access, {
      ...{ start: snapshot, outage },
      signal: until,
      onChange(before, after) {
        seen.last = after;
        progress.update(before, after);
      },
    });
  void worker.asked.then((why) => {
    progress.say(why ?? 'This worker was drained: its agents may finish, nothing new begins.');
    drained.abort();
  });
  try {
    if (!signal.aborted) await worker.start();
    for (;;) {
      snapshot = await follow(AbortSignal.any([signal, drained.signal]));
      if (signal.aborted || drained.signal.aborted || snapshot.run.status !== 'waiting' || !canAsk(call))
        break;
      progress.pause();
      if ((await askApprovals(call, { access, project }, { runId: run.id, signal })) === 0) break;
      snapshot = await takeSnapshot(access, run.id);
    }
  } finally {
    const stop = () => void worker.stop();
    signal.addEventListener('abort', stop);
    if (signal.aborted) await worker.stop();
    else await worker.drain({ deadlineMs: drained.signal.aborted ? askedDrainMs : drainMs });
    signal.removeEventListener('abort', stop);
  }
  const look = () => takeSnapshot(access, run.id);
  const last = await (signal.aborted ? look() : outlast(outage, look));
  return { last, drained: drained.signal.aborted };
}

function tell(
  call: Call,
  {
    last,
    project,
    lost,
    startedMs,
    ended,
  }: {
    last: RunSnapshot;
    project: Project;
    lost: LandedLoss | null;
    startedMs: number;
    ended: 'interrupted' | 'drained' | null;
  },
): number {
  const { run } = last;
  if (ended === null) throwIfNothingRan(last);
  const result = {
    ...runResult(last, { durationMs: systemClock.monotonicMs() - startedMs, lost }),
    ...(ended === 'interrupted' && run.status !== 'done' ? whatIsLeft(last, call.out.offer) : {}),
  };
  call.out.result(result, (colors) =>
    renderSummary(last, {
      result,
      colors,
      branchIsCheckedOut: project.branch === run.target,
      offer: call.out.offer,
      width: widthOfTerminal(call.streams.stdout),
    }),
  );
  const held = heldBy(run);
  if (ended === 'drained' && held !== null) return tellHeld(call, { run, held });
  if (isIdle(last))
    return lost === null && !last.tasks.some(({ status }) => status === 'FAILED')
      ? exitCodes.ok
      : exitCodes.unfinished;
  if (ended !== null && run.status !== 'done') {
    const how = ended === 'interrupted' ? 'Interrupted' : 'Ended before the run did';
    call.out.note(`${how}. Nothing is lost; carry it on with \`${carryCommand(run)}\`.`);
    return ended === 'interrupted' ? exitCodes.interrupted : exitCodes.unfinished;
  }
  if (run.status === 'done') return lost === null ? exitCodes.ok : exitCodes.unfinished;
  if (held !== null && run.status === 'paused') return tellHeld(call, { run, held });
  const isForPerson = run.status === 'waiting' || (run.status === 'paused' && lost !== null);
  return isForPerson ? exitCodes.waits : exitCodes.unfinished;
}

function tellHeld(call: Call, { run, held }: { run: Run; held: Held }): number {
  if (held.code !== 'TARGET_MOVED') call.out.note(wayOut(held, run));
  return exitCodes.waits;
}

/** A run that a worker held before any task was finished says why with a code: a red base, a set-up that fails. */
function throwIfNothingRan({ run, tasks }: RunSnapshot): void {
  const held = heldBy(run);
  if (held === null || held.code === null || ['TARGET_MOVED', 'MERGED_RED'].includes(held.code)) return;
  if (tasks.some((task) => task.status === 'CLOSED')) return;
  throw new BatonError(held.code, held.code === 'BASE_RED' ? reasonParts(held.text).what : held.text, {
    at: run.slug,
    details: { runId: run.id, status: run.status },
    fix: wayOut(held, run),
  });
}

/** The run as it is now, if the database answers at once; else as it was seen last. */
async function lastLook({ access }: Engine, seen: RunSnapshot | null): Promise<RunSnapshot | null> {
  if (seen === null) return null;
  const fresh = takeSnapshot(access, seen.run.id).catch(() => seen);
  return Promise.race([fresh, delay(lastLookMs, seen, { ref: false })]);
}

/** Agents end with this process: a helper of the spawner sees to it, however we go. */
async function endAtOnce(
  call: Call,
  {
    engine,
    progress,
    seen,
    startedMs,
  }: { engine: Engine; progress: Progress; seen: Seen; startedMs: number },
): Promise<void> {
  progress.close();
  const last = await lastLook(engine, seen.last);
  if (last !== null) {
    call.out.note(leftLine(last));
    const durationMs = systemClock.monotonicMs() - startedMs;
    if (call.out.json)
      call.out.result({ ...runResult(last, { durationMs }), ...whatIsLeft(last, call.out.offer) }, () => '');
  }
  setTimeout(() => process.exit(exitCodes.interrupted), hurryMs);
  await engine.access.release().catch(() => undefined);
  process.exit(exitCodes.interrupted);
}
