import { expect, it } from 'vitest';
import type { Fact } from '../model/fact.ts';
import { decideFact } from './decide-fact.ts';
import type { AttemptState, SessionState, Situation, TaskState } from './situation.ts';
import { isLostByFence } from './check-fence.ts';

const holding = { attemptId: 'a', fence: 1 };
const range = { baseCommit: 'b', startCommit: 'b' };

function situation(
  task: Partial<TaskState>,
  attempt: Partial<AttemptState>,
  session: Partial<SessionState>,
): Situation {
  const counters = { tries: 0, grantedTries: 0, maxRetries: 1, conflicts: 0, setbacks: 0 };
  const commits = { startCommit: 'b', headCommit: 'h', orphanCounts: false };
  return {
    now: new Date(0),
    session: {
      ...{ id: 's', runId: 'r', status: 'working', statusSeq: 2, executionState: 'idle', executionSeq: 4 },
      ...{ currentAttemptId: 'a', ...session },
    },
    items: [
      {
        task: {
          ...{ id: 't', runId: 'r', status: 'DONE', version: 5, fence: 1, cancelRequested: false },
          ...{ ...counters, ...task },
        },
        attempt: {
          ...{ id: 'a', taskId: 't', fence: 1, place: 1, turnStatus: 'VERIFYING', turnSeq: 3, openTools: 0 },
          ...{ ...commits, ...attempt },
        },
      },
    ],
    others: [],
  };
}

const refusalOf = (fact: Fact, given: Situation) =>
  decideFact(fact, given, { actor: 'worker:w', random: 0 }).refused;

it('refuses reports about an attempt that is over, whatever the state of its task by now', () => {
  const again = situation({ status: 'CLAIMED', fence: 2 }, { turnStatus: 'REAPED' }, {});
  expect(refusalOf({ fact: 'released', holding, reason: 'r' }, again)).toMatchObject({ machine: 'turn' });
  expect(
    refusalOf({ fact: 'setup_failed', holding, reason: 'r', retry: true, counted: true }, again),
  ).toMatchObject({
    from: 'REAPED',
  });
});

it('refuses a compaction that no agent could ever end', () => {
  const dead = situation({}, {}, { status: 'dead', executionState: 'stopped' });
  expect(refusalOf({ fact: 'compaction_started', holding }, dead)).toMatchObject({
    machine: 'agent',
    from: 'dead',
  });
  expect(refusalOf({ fact: 'compaction_started', holding }, situation({}, {}, {}))).toBeNull();
});

it.each<Fact>([
  { fact: 'done', holding, ...range, headCommit: 'h', summary: 's' },
  { fact: 'agent_failed', holding, reason: 'r', outcome: 'crashed' },
  { fact: 'released', holding, reason: 'r' },
  { fact: 'tool_started', holding },
])('leaves an orphan to those who settle it: no "$fact"', (fact) => {
  const dead = { status: 'dead', executionState: 'failed' } as const;
  const orphan = situation({ status: 'ORPHANED' }, { turnStatus: 'RUNNING' }, dead);
  expect(refusalOf(fact, orphan)).toMatchObject({ machine: 'task', from: 'ORPHANED' });
});

it('does not let a failure undo work that is done', () => {
  const failed: Fact = { fact: 'agent_failed', holding, reason: 'r', outcome: 'crashed' };
  expect(refusalOf(failed, situation({}, {}, {}))).toMatchObject({ machine: 'task', from: 'DONE' });
});

it('neither rejects nor asks for approval while the agent compacts', () => {
  const compacting = situation({}, { turnStatus: 'COMPACTING' }, { executionState: 'suspended' });
  expect(
    refusalOf({ fact: 'rejected', holding, kind: 'rejected', reasons: ['r'] }, compacting),
  ).toMatchObject({
    from: 'COMPACTING',
  });
  const wanted: Fact = { fact: 'approval_wanted', holding, reason: 'r', headCommit: 'h', patchId: 'p' };
  expect(refusalOf(wanted, compacting)).toMatchObject({ from: 'COMPACTING' });
});

it('takes the attempt from the lane with the question to a person, so that it is asked once', () => {
  const wanted: Fact = { fact: 'approval_wanted', holding, reason: 'r', headCommit: 'h', patchId: 'p' };
  const planned = decideFact(wanted, situation({}, {}, {}), { actor: 'janitor', random: 0 });
  expect([planned.tasks.get('t')?.fence, planned.attempts.get('a')?.fence]).toEqual([2, 2]);
});

it('does not begin a second task in the middle of a compaction', () => {
  const claimed = situation(
    { status: 'CLAIMED' },
    { turnStatus: 'CLAIMING' },
    { executionState: 'suspended', currentAttemptId: 'b' },
  );
  const done: Fact = { fact: 'done', holding, ...range, headCommit: 'h', summary: 's' };
  expect(refusalOf(done, claimed)).toMatchObject({ machine: 'execution', from: 'suspended' });
});

it('loses a report by a fence only when it holds something', () => {
  expect(isLostByFence([holding])).toBe(true);
  expect(isLostByFence([])).toBe(false);
});
