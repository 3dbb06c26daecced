import type { Change } from '../../../src/decide/change.ts';
import type { Fact } from '../../../src/model/fact.ts';
import { changeOf } from '../../../src/decide/to-change.ts';
import { decideFact } from '../../../src/decide/decide-fact.ts';
import { leaseExpiry } from '../../../src/decide/expire-lease.ts';
import { approvalChange, landingChange } from '../../../src/decide/landing-changes.ts';
import { now, type AttemptRow, type World } from '../world/rows.ts';
import { itemOf } from '../world/lane-selects.ts';
import { situationOf } from '../world/selects.ts';

const range = { baseCommit: 'b', startCommit: 'b' };
const process = { pid: 1, pidStarted: '1' };
const launch = { adapter: 'a', model: null, ...process, workspace: '/w', deadlineAt: null, route: null };

/** Every fact that can be said of an attempt, by the name of its row's fact. */
export const factNames = [
  ...['set-up failed', 'launched', 'ready', 'next task', 'tool starts', 'tool ends', 'compaction starts'],
  ...[
    'compaction ends',
    'done',
    'failed',
    'released',
    'cancelled',
    'blocked',
    'decomposed',
    'rested',
    'batch over',
  ],
  ...['process died', 'process stopped', 'lease lapsed', 'orphan settled: DONE', 'orphan settled: OPEN'],
  ...['orphan settled: FAILED', 'rejected', 'conflict', 'base rejected', 'landed', 'approval wanted'],
  ...['approval given: yes', 'approval given: no'],
] as const;

function factOf(world: World, name: string, row: AttemptRow): Fact | null {
  const holding = { attemptId: row.id, fence: row.fence };
  const sessionId = row.sessionId ?? '';
  const reason = 'r';
  const died = { fact: 'process_died', sessionId, exitCode: null, reason } as const;
  const facts: Partial<Record<string, Fact>> = {
    'set-up failed': { fact: 'setup_failed', holding, reason, retry: true, counted: true },
    launched: { fact: 'launched', holdings: holdingsOfSession(world, row), ...launch },
    ready: { fact: 'ready', holding, ...range },
    'next task': { fact: 'next_task', holding, ...range, ...process },
    'tool starts': { fact: 'tool_started', holding },
    'tool ends': { fact: 'tool_ended', holding },
    'compaction starts': { fact: 'compaction_started', holding },
    'compaction ends': { fact: 'compaction_ended', holding },
    done: { fact: 'done', holding, ...range, headCommit: 'h', summary: 's' },
    failed: { fact: 'agent_failed', holding, reason, outcome: 'agent_failed' },
    released: { fact: 'released', holding, reason },
    cancelled: { fact: 'cancelled', holding, reason },
    blocked: { fact: 'blocked', holding, on: { text: 't' }, reason },
    decomposed: { fact: 'decomposed', holding, children: [], reason },
    rested: { fact: 'rested', sessionId },
    'batch over': { fact: 'batch_over', sessionId, exitCode: 0 },
    'process died': { ...died, abortReason: 'oom' },
    'process stopped': { ...died, abortReason: 'user_interrupt' },
    'orphan settled: DONE': { fact: 'orphan_settled', holding, to: 'DONE', reason },
    'orphan settled: OPEN': { fact: 'orphan_settled', holding, to: 'OPEN', reason },
    'orphan settled: FAILED': { fact: 'orphan_settled', holding, to: 'FAILED', reason },
    rejected: { fact: 'rejected', holding, kind: 'rejected', reasons: [] },
    conflict: { fact: 'rejected', holding, kind: 'conflict', reasons: [] },
    'base rejected': { fact: 'rejected', holding, kind: 'base_rejected', reasons: [] },
    'approval wanted': { fact: 'approval_wanted', holding, reason, headCommit: 'h', patchId: 'p' },
  };
  return facts[name] ?? null;
}

/** A launch names all that its agent shall do. */
function holdingsOfSession(world: World, { sessionId }: AttemptRow) {
  const open = world.attempts.filter((row) => row.sessionId === sessionId && !row.ended);
  return open.map(({ id, fence }) => ({ attemptId: id, fence }));
}

/** The change that the store decides on for this fact about this attempt, by its holder; null: refused. */
export function decided(world: World, row: AttemptRow, name: string): Change | null {
  const item = itemOf(world, row.taskId);
  if (item === null) return null;
  if (name === 'landed') return landingChange(item, { now, landingId: 'l', actor: 'janitor' });
  if (name.startsWith('approval given')) {
    const word = { id: 'p', nonce: 'n', approve: name.endsWith('yes') };
    return approvalChange(item, { now, actor: 'ada', reason: 'r', ...word });
  }
  if (name === 'lease lapsed') {
    const lapsed = situationOf(world, { fact: 'lease_lapsed', sessionId: row.sessionId ?? '' });
    return lapsed === null ? null : (leaseExpiry(lapsed, { actor: 'sweeper', random: 0 })?.change ?? null);
  }
  const fact = factOf(world, name, row);
  const situation = fact === null ? null : situationOf(world, fact);
  if (fact === null || situation === null) return null;
  const planned = decideFact(fact, situation, { actor: 'worker', random: 0 });
  return planned.refused === null ? changeOf(planned, situation) : null;
}
