import { draft } from '../../support/builders.ts';
import type { Attempt, Claim, Fact, Holding, RecordOutcome, Store, Task } from '../../../src/index.ts';
import { costMicroUsd } from './life-plan.ts';
import { commitOf } from './life-world.ts';

/** One living process of the life. */
export interface Life {
  store: Store;
  workerId: string;
  host: string;
  leaseMs: number;
  actor: string;
  tell(fact: Fact): Promise<RecordOutcome>;
}

const usage = {
  model: 'm',
  inputTokens: 1,
  outputTokens: 1,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costMicroUsd,
  estimated: false,
};
const base = commitOf('base');

/** Works a claim through, as an agent's supervisor does. A holding that is lost is let go. */
export async function workClaim(life: Life, claim: Claim): Promise<void> {
  const { tell } = life;
  const holdings = claim.tasks.map(({ attempt }) => ({ attemptId: attempt.id, fence: attempt.fence }));
  const [first] = claim.tasks;
  if (first !== undefined && (await before(life, first.task, holdings[0] as Holding))) {
    await tell({ fact: 'batch_over', sessionId: claim.sessionId, exitCode: null });
    return;
  }
  const launched = await tell({
    fact: 'launched',
    holdings,
    adapter: 'command',
    model: 'm',
    pid: 1,
    pidStarted: '1',
    workspace: '/w',
    deadlineAt: null,
    route: {},
  });
  if (!launched.ok) return;
  for (const [at, { task, attempt }] of claim.tasks.entries()) {
    const holding = holdings[at] as Holding;
    const where = { holding, baseCommit: base, startCommit: base };
    const begun = await tell(
      at === 0 ? { fact: 'ready', ...where } : { fact: 'next_task', ...where, pid: 2, pidStarted: '2' },
    );
    if (!begun.ok) return;
    await stream(life, { sessionId: claim.sessionId, attempt });
    if ((await work(life, { task, attempt, holding, sessionId: claim.sessionId })) === 'process gone') return;
  }
  await tell({ fact: 'batch_over', sessionId: claim.sessionId, exitCode: 0 });
}

/** What goes wrong before an agent is there. */
async function before({ store, tell }: Life, task: Task, holding: Holding): Promise<boolean> {
  const outcomes = (await store.tasks.attempts(task.id)).map(({ outcome }) => outcome);
  if (task.key === 'set-up' && !outcomes.some((outcome) => outcome?.startsWith('setup')))
    return (await tell({ fact: 'setup_failed', holding, reason: 'busy', retry: true, counted: false })).ok;
  if (task.key !== 'given-back' || outcomes.includes('released')) return false;
  const notBefore = new Date(Date.now() + 60_000);
  const back = await tell({ fact: 'released', holding, reason: 'no permit', notBefore });
  // It is nobody's now: what is said of it later is kept, without effect.
  await tell({ fact: 'agent_failed', holding, reason: 'exit 1', outcome: 'agent_failed' });
  return back.ok;
}

async function stream({ store }: Life, { sessionId, attempt }: { sessionId: string; attempt: Attempt }) {
  const at = new Date();
  const event = { type: 'message', text: 'working', kind: 'assistant' } as const;
  await store.streams.append([{ sessionId, attemptId: attempt.id, event, at }]);
  await store.streams.touchSession(sessionId, { activity: 'thinking', lastSignAt: at });
  await store.streams.recordUsage({ attemptId: attempt.id, offset: 1, usage, costMicroUsd });
  // Whoever tells it again, it is booked once.
  await store.streams.recordUsage({ attemptId: attempt.id, offset: 1, usage, costMicroUsd });
}

interface Job {
  task: Task;
  attempt: Attempt;
  holding: Holding;
  sessionId: string;
}

async function work(life: Life, job: Job): Promise<'over' | 'process gone'> {
  const { store, tell } = life;
  const { task, holding, sessionId } = job;
  const earlier = (await store.tasks.attempts(task.id)).filter(({ id }) => id !== job.attempt.id);
  const was = (outcome: string) => earlier.some((attempt) => attempt.outcome === outcome);
  const died = { fact: 'process_died', sessionId, exitCode: 1 } as const;
  switch (task.key) {
    case 'waits':
      if (!was('blocked')) {
        await tell({ fact: 'blocked', holding, on: { task: 'base' }, reason: 'needs base' });
        return 'over';
      }
      break;
    case 'failing':
      if (!was('agent_failed')) {
        await store.streams.setSalvage(holding, 'refs/baton/salvage/x').catch(() => undefined);
        await tell({ fact: 'agent_failed', holding, reason: 'exit 1', outcome: 'agent_failed' });
        return 'over';
      }
      break;
    case 'blocked':
      if (!was('blocked')) {
        await tell({ fact: 'blocked', holding, on: { text: 'a key' }, reason: 'needs a key' });
        return 'over';
      }
      break;
    case 'big':
      await tell({ fact: 'decomposed', holding, children: [draft('big-part')], reason: 'too big' });
      return 'over';
    case 'orphan':
      if (!earlier.some(({ counted }) => counted)) {
        await tell({ ...died, abortReason: 'oom', reason: 'the kernel ended it', ofItself: true });
        return 'process gone';
      }
      break;
    case 'finished-orphan':
      await tell({ ...died, abortReason: 'oom', reason: 'it had just finished', ofItself: true });
      return 'process gone';
    case 'stopped': {
      await store.tasks.cancel(task.id, { actor: 'operator:tester', reason: 'not wanted' });
      const { cancelRequested } = await store.claims.renewLeases({
        workerId: life.workerId,
        leaseMs: life.leaseMs,
      });
      if (cancelRequested.includes(job.attempt.id))
        await tell({ fact: 'cancelled', holding, reason: 'asked to' });
      return 'over';
    }
    default:
  }
  for (const fact of ['tool_started', 'tool_ended', 'compaction_started', 'compaction_ended'] as const)
    if (task.key === 'base') await tell({ fact, holding });
  await tell({
    fact: 'done',
    holding,
    baseCommit: base,
    startCommit: base,
    headCommit: commitOf('head', job.attempt.id),
    summary: 'did it',
  });
  return 'over';
}
