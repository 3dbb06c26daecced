import { heldByLane } from './lane-selects.ts';
import type { Fact } from '../../../src/model/fact.ts';
import type { Holding } from '../../../src/model/task.ts';
import { report } from './report.ts';
import { byId, type Job, type Message, type World } from './rows.ts';
import { freeLostReservations } from './statements.ts';

/**
 * What can have no effect any more is over at once instead of at some time: a copy of a report under a lost fence or about an ended
 * attempt, and what a worker still says that has lost all it held. Versions and fences only grow, so that it stays without effect;
 * that it has none is looked at here, once. Leaves out orders that differ in nothing else, nothing that could happen.
 */
export function absorb(world: World): { world: World; broken: string[] } {
  const broken: string[] = [];
  const expectRefused = (at: World, message: Pick<Message, 'fact' | 'commandId'>) => {
    const { answer, broken: found, moves } = report(at, message);
    // The end of a session that was never launched may be said twice: it moves nothing.
    if (answer === 'ok' && moves > 0)
      broken.push(`"${message.fact.fact}" had an effect under a fence that is not its own any more`);
    broken.push(...found);
  };
  const waited = new Set(world.workers.map(({ waitsFor }) => waitsFor));
  const flight = world.flight.filter((message) => {
    const over = message.change === null && !waited.has(message.id) && isOver(world, message.fact);
    if (over) expectRefused(world, message);
    return !over;
  });
  const workers = world.workers.map((worker) => {
    if (worker.waitsFor !== null || worker.job === null || !hasLostAll(world, worker.job)) return worker;
    for (const fact of lastWords(worker.job)) expectRefused(world, { fact, commandId: null });
    return { ...worker, job: null };
  });
  return { world: freeLostReservations({ ...world, flight, workers }), broken };
}

function isLost(world: World, { attemptId, fence }: Holding): boolean {
  const row = byId(world.attempts, attemptId);
  return row === undefined || row.ended || row.fence !== fence;
}

function isOver(world: World, fact: Message['fact']): boolean {
  if ('holding' in fact) return isLost(world, fact.holding);
  if ('holdings' in fact) return fact.holdings.some((holding) => isLost(world, holding));
  return byId(world.sessions, fact.sessionId)?.ended !== false;
}

function hasLostAll(world: World, job: Job): boolean {
  if (job.kind === 'lane') {
    const lane = world.lane.epoch !== job.epoch;
    return (
      lane &&
      job.landingId === null &&
      job.phase !== 'intended' &&
      heldByLane(job).every((holding) => isLost(world, holding))
    );
  }
  if (job.kind === 'orphans') return job.holdings.every((holding) => isLost(world, holding));
  return (
    byId(world.sessions, job.sessionId)?.ended !== false &&
    job.holdings.every((holding) => isLost(world, holding))
  );
}

/** All that a holder could still report. */
function lastWords(job: Job): Fact[] {
  const holdings = job.kind === 'lane' ? heldByLane(job) : job.holdings;
  const range = { baseCommit: 'b', startCommit: 'b', headCommit: 'h', summary: 's' };
  const process = { pid: 1, pidStarted: '1' };
  return holdings.flatMap(({ attemptId, fence }): Fact[] => {
    const holding = { attemptId, fence };
    return [
      { fact: 'ready', holding, ...range },
      { fact: 'next_task', holding, ...range, ...process },
      { fact: 'tool_started', holding },
      { fact: 'compaction_started', holding },
      { fact: 'done', holding, ...range },
      { fact: 'agent_failed', holding, reason: 'r', outcome: 'agent_failed' },
      { fact: 'released', holding, reason: 'r' },
      { fact: 'rejected', holding, kind: 'rejected', reasons: ['r'] },
      { fact: 'orphan_settled', holding, to: 'OPEN', reason: 'r' },
    ];
  });
}
