import { expect, it } from 'vitest';
import { agentMachine, executionBeside, executionMachine, taskMachine, turnMachine } from '@baton/fsm-core';
import type { Fact } from '../model/fact.ts';
import { decideFact } from './decide-fact.ts';
import type { Situation } from './situation.ts';

const holding = { attemptId: 'a', fence: 1 };
const launch = {
  adapter: 'x',
  model: null,
  pid: 1,
  pidStarted: '1',
  workspace: '/w',
  deadlineAt: null,
  route: null,
};
const range = { baseCommit: 'b', startCommit: 'b' };
const facts: Fact[] = [
  { fact: 'setup_failed', holding, reason: 'r', retry: true, counted: false },
  { fact: 'launched', holdings: [holding], ...launch },
  { fact: 'ready', holding, ...range },
  { fact: 'next_task', holding, ...range, pid: 1, pidStarted: '1' },
  { fact: 'tool_started', holding },
  { fact: 'tool_ended', holding },
  { fact: 'compaction_started', holding },
  { fact: 'compaction_ended', holding },
  { fact: 'done', holding, ...range, headCommit: 'h', summary: 's' },
  { fact: 'agent_failed', holding, reason: 'r', outcome: 'crashed' },
  { fact: 'released', holding, reason: 'r' },
  { fact: 'cancelled', holding, reason: 'r' },
  { fact: 'blocked', holding, on: { text: 't' }, reason: 'r' },
  { fact: 'decomposed', holding, children: [], reason: 'r' },
  { fact: 'rested', sessionId: 's' },
  { fact: 'batch_over', sessionId: 's', exitCode: 0 },
  { fact: 'process_died', sessionId: 's', exitCode: 1, abortReason: 'oom', reason: 'r' },
  { fact: 'orphan_settled', holding, to: 'OPEN', reason: 'r' },
  { fact: 'rejected', holding, kind: 'rejected', reasons: ['r'] },
  { fact: 'approval_wanted', holding, reason: 'r', headCommit: 'h', patchId: 'p' },
];

function* situations(): Generator<Situation> {
  for (const status of taskMachine.states)
    for (const turnStatus of turnMachine.states)
      for (const agent of [null, ...agentMachine.states])
        for (const executionState of executionMachine.states) {
          const counters = {
            tries: 0,
            grantedTries: 0,
            maxRetries: 1,
            conflicts: 0,
            setbacks: 0,
            cancelRequested: false,
          };
          const task = { id: 't', runId: 'r', status, version: 5, fence: 1, ...counters };
          const commits = { startCommit: 'b', headCommit: 'h', orphanCounts: true };
          const attempt = {
            id: 'a',
            taskId: 't',
            fence: 1,
            place: 1,
            turnStatus,
            turnSeq: 3,
            openTools: 0,
            ...commits,
          };
          const session = {
            id: 's',
            runId: 'r',
            status: agent,
            statusSeq: agent === null ? -1 : 2,
            executionState,
            executionSeq: 4,
            currentAttemptId: 'a',
          };
          yield { now: new Date(0), session, items: [{ task, attempt }], others: [] };
        }
}

it('answers every fact on every tuple of states: moves that follow one another from there, or one refusal', () => {
  const by = { actor: 'worker:w', random: 0 };
  const accepted = new Map<string, number>();
  for (const situation of situations()) {
    const [item] = situation.items;
    for (const fact of facts) {
      const planned = decideFact(fact, situation, by);
      if (planned.refused !== null) continue;
      accepted.set(fact.fact, (accepted.get(fact.fact) ?? 0) + 1);
      const at = new Map<string, string | null>([
        ['task', item?.task.status ?? null],
        ['turn', item?.attempt.turnStatus ?? null],
        ['agent', situation.session?.status ?? null],
        ['execution', situation.session?.executionState ?? null],
      ]);
      for (const event of planned.events) {
        if (event.fromState !== at.get(event.machine))
          throw new Error(`${fact.fact}: ${event.machine} is not in ${event.fromState ?? 'nothing'}`);
        at.set(event.machine, event.toState);
      }
      const [patch] = planned.tasks.values();
      if ((patch?.status ?? item?.task.status) !== at.get('task'))
        throw new Error(`${fact.fact}: the column says something else`);
    }
  }
  expect([...accepted.keys()].sort()).toEqual(facts.map((fact) => fact.fact).sort());
});

it('decides the same thing twice, and leaves what it was given alone', () => {
  const [first] = situations();
  if (first === undefined) throw new Error('no situation');
  const frozen = structuredClone(first);
  for (const fact of facts)
    expect(decideFact(fact, first, { actor: 'w', random: 0.5 })).toEqual(
      decideFact(fact, first, { actor: 'w', random: 0.5 }),
    );
  expect(first).toEqual(frozen);
});

/** Tuples that the rows can lead to: work begins with a ready agent, and an orphan has none. */
function isPossible({ items: [item], session }: Situation): boolean {
  if (item === undefined || session === null) return false;
  const { turnStatus } = item.attempt;
  if (!executionBeside(session.status, turnStatus).includes(session.executionState)) return false;
  if (item.task.status === 'ORPHANED') return session.status === 'dead';
  const begun = ['RUNNING', 'TOOL_USE', 'COMPACTING'].includes(turnStatus);
  if (!begun) return true;
  return item.task.status !== 'CLAIMED' && session.status !== null && session.status !== 'starting';
}

it('keeps execution a projection of agent and turn, whatever fact comes', () => {
  const by = { actor: 'worker:w', random: 0 };
  const wrong: string[] = [];
  for (const situation of situations()) {
    const [item] = situation.items;
    const { session } = situation;
    if (item === undefined || session === null || !isPossible(situation)) continue;
    const { turnStatus } = item.attempt;
    for (const fact of facts) {
      const planned = decideFact(fact, situation, by);
      if (planned.refused !== null) continue;
      const agent = planned.session?.status ?? session.status;
      const turn = planned.attempts.get('a')?.turnStatus ?? turnStatus;
      const execution = planned.session?.executionState ?? session.executionState;
      if (!executionBeside(agent, turn).includes(execution))
        wrong.push(
          `${item.task.status} ${turnStatus} ${session.status ?? '–'} --${fact.fact}→ ${turn} ${agent ?? '–'} ${execution}`,
        );
    }
  }
  expect(wrong).toEqual([]);
});
