import type { Fact } from '../../../src/model/fact.ts';
import { patched, type Job, type Message, type Worker, type World } from './rows.ts';

type Batch = Extract<Job, { kind: 'batch' }>;

/** Gives a worker another job, or none. */
export function withJob(world: World, workerId: string, job: Job | null): World {
  return { ...world, workers: patched(world.workers, workerId, { job, waitsFor: null }) };
}

/** Goes on in a worker's job after the answer to one of its reports: what run-batch, land-task and orphans of the worker do. */
export function proceed(
  world: World,
  worker: Worker,
  { fact, ok }: { fact: Message['fact']; ok: boolean },
): World {
  const { id, job } = worker;
  if (job === null) return world;
  if (job.kind === 'batch') return withJob(world, id, nextInBatch(job, fact, ok));
  if (job.kind === 'orphans') {
    const holdings = job.holdings.slice(1);
    return withJob(world, id, holdings.length === 0 ? null : { ...job, holdings });
  }
  if (ok) return withJob(world, id, { ...job, phase: 'opened', holding: null, mates: [] });
  return releaseLane(world, worker);
}

/** `release-lane` */
export function releaseLane(world: World, { id, job }: Worker): World {
  const mine = job?.kind === 'lane' && job.epoch === world.lane.epoch;
  const lane = mine ? { ...world.lane, workerId: null, lease: null } : world.lane;
  return withJob({ ...world, lane }, id, null);
}

function nextInBatch(job: Batch, fact: Message['fact'], ok: boolean): Job | null {
  if (fact.fact === 'batch_over') return null;
  const next = { ...job, at: job.at + 1 };
  if (job.phase === 'giving' || job.phase === 'failing' || job.phase === 'closing') return next;
  // What happens within a turn changes nothing for the batch.
  if (!ok && /^(tool_|compaction_|rested)/.test(fact.fact)) return job;
  // What could not even begin is given back; what went wrong later is lost.
  const begins = fact.fact === 'launched' || fact.fact === 'ready' || fact.fact === 'next_task';
  if (!ok) return { ...(begins ? job : next), phase: 'closing' };
  return { ...job, ...phaseAfter(job, fact) };
}

function phaseAfter(job: Batch, fact: Message['fact']): Partial<Batch> {
  const { at } = job;
  if (fact.fact === 'launched') return { phase: 'launched' };
  if (fact.fact === 'ready' || fact.fact === 'next_task') return { phase: 'running' };
  if (fact.fact === 'done' || fact.fact === 'blocked') return { phase: 'between', at: at + 1 };
  if (fact.fact === 'agent_failed')
    return { phase: fact.outcome === 'agent_failed' ? 'between' : 'closing', at: at + 1 };
  const ends = ['released', 'cancelled', 'process_died'].includes(fact.fact);
  return ends ? { phase: 'closing', at: at + 1 } : {};
}

/** Reports at the end of a task carry a command id, others don't: as the worker sends them. */
export function commandOf(fact: Fact, job: Job | null): string | null {
  const ends = ['done', 'agent_failed', 'cancelled', 'blocked', 'process_died'].includes(fact.fact);
  const given =
    fact.fact === 'released' && job?.kind === 'batch' && job.phase !== 'closing' && job.phase !== 'giving';
  if (!ends && !given) return null;
  return `${'holding' in fact ? fact.holding.attemptId : 'sessionId' in fact ? fact.sessionId : ''}:${fact.fact}`;
}
