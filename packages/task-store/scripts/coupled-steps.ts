import { readFile } from 'node:fs/promises';
import type { AbortReason, TaskStatus, TransitionReason } from '@baton/fsm-core';
import type { Fact } from '../src/model/fact.ts';
import { cancelMove } from '../src/decide/cancel.ts';
import type { EventDraft } from '../src/decide/change.ts';
import { planBulk, type BulkMove } from '../src/decide/bulk-move.ts';
import { changeRows } from '../src/decide/change-rows.ts';
import { decideFact } from '../src/decide/decide-fact.ts';
import { leaseExpiry } from '../src/decide/expire-lease.ts';
import { approvalChange, landingChange } from '../src/decide/landing-changes.ts';
import { startMoves } from '../src/decide/move-plan.ts';
import type { Item, SessionState, Situation, TaskState } from '../src/decide/situation.ts';
import { unblockMove } from '../src/decide/unblock.ts';

const now = new Date(0);
const actor = 'generator';
const reason = 'r';
const by = { actor, random: 0 };
const holding = { attemptId: 'a', fence: 1 };
const range = { baseCommit: 'b', startCommit: 'b' };
const page = new URL('../../../docs/evidence/coupled-rows.md', import.meta.url);

/** What the moves of all facts say of themselves, and a word that none of them says. */
const words: (TransitionReason | undefined)[] = [
  ...[undefined, 'completed', 'aborted', 'retry', 'orphan_recovered', 'max_turns'],
] as const;

/** One end of a process of each kind: ended by somebody, by its provider or its supervisor, or by itself. */
const ends: AbortReason[] = ['user_interrupt', 'sibling_aborted', 'parent_aborted', 'provider_error', 'oom'];

/** Every fact in every form that leads to moves of its own. */
function* facts(): Generator<Fact> {
  for (const retry of [true, false])
    for (const counted of [true, false]) yield { fact: 'setup_failed', holding, reason, retry, counted };
  yield { fact: 'launched', holdings: [holding], adapter: 'x', workspace: '/w' };
  yield { fact: 'ready', holding, ...range };
  yield { fact: 'next_task', holding, ...range };
  for (const fact of ['tool_started', 'tool_ended', 'compaction_started', 'compaction_ended'] as const)
    yield { fact, holding };
  yield { fact: 'done', holding, ...range, headCommit: 'h', summary: 's' };
  yield* endings();
  for (const exitCode of [0, 1])
    for (const abortReason of [undefined, ...ends]) yield* endsWith(exitCode, abortReason);
  yield { fact: 'rested', sessionId: 's' };
  yield { fact: 'approval_wanted', holding, reason, headCommit: 'h', patchId: 'p' };
}

function* endings(): Generator<Fact> {
  yield { fact: 'cancelled', holding, reason };
  yield { fact: 'blocked', holding, on: { text: 't' }, reason };
  yield { fact: 'decomposed', holding, children: [], reason };
  for (const word of words) {
    const said = word === undefined ? {} : { transitionReason: word };
    yield { fact: 'released', holding, reason, ...said };
    for (const denied of [{}, { denied: 'd' }]) {
      for (const outcome of ['agent_failed', 'rate_limited', 'spawn_failed'] as const)
        yield { fact: 'agent_failed', holding, reason, outcome, ...said, ...denied };
      for (const kind of ['rejected', 'conflict', 'base_rejected'] as const)
        yield { fact: 'rejected', holding, kind, reasons: [], ...said, ...denied };
    }
  }
  for (const to of ['DONE', 'OPEN', 'FAILED'] as const)
    for (const denied of [{}, { denied: 'd' }])
      yield { fact: 'orphan_settled', holding, to, reason, ...denied };
}

function* endsWith(exitCode: number, abortReason: AbortReason | undefined): Generator<Fact> {
  const why = abortReason === undefined ? {} : { abortReason };
  yield { fact: 'batch_over', sessionId: 's', exitCode, ...why };
  if (abortReason === undefined) return;
  for (const ofItself of [true, false])
    yield { fact: 'process_died', sessionId: 's', exitCode, abortReason, ofItself, reason };
}

/** What an execution can be beside an agent, whichever of its attempts is looked at. */
const executionsBeside = {
  nothing: ['pending', 'failed'],
  starting: ['starting'],
  working: ['idle', 'busy', 'suspended'],
  idle: ['idle', 'busy', 'suspended'],
  dead: ['stopped', 'failed'],
};

/**
 * Where work and its session can be together: each pair of task · turn that an open attempt reaches (the exploration holds the page
 * against what it finds) beside each pair of agent · execution, so that no new order of reports is refused. A parent's attempt has
 * neither turn nor session.
 */
async function reachableTuples(): Promise<string[][]> {
  const text = await readFile(page, 'utf8');
  const tuples = [...text.matchAll(/^## (.*)$/gm)].map(([, tuple = '']) => tuple.split(' · '));
  const works = new Set([
    ...tuples.map((tuple) => tuple.slice(0, 2).join()),
    'DONE,IDLE',
    'PENDING_APPROVAL,IDLE',
  ]);
  const beside = Object.entries(executionsBeside).flatMap(([agent, states]) =>
    states.map((state) => `${agent},${state}`),
  );
  const sessions = new Set([...tuples.map((tuple) => tuple.slice(2).join()), ...beside, 'nothing,–']);
  return [...works].flatMap((work) => [...sessions].map((session) => `${work},${session}`.split(',')));
}

/** Each tuple with all that decides between the moves of one fact. */
function* situations([task, turn, agent, execution]: string[]): Generator<Situation & { items: [Item] }> {
  for (const left of tasksLeft)
    for (const orphanCounts of task === 'ORPHANED' ? [false, true] : [false])
      for (const on of [true, false])
        for (const openTools of turn === 'TOOL_USE' || turn === 'RUNNING' ? [0, 1, 2] : [0]) {
          const item = itemIn(task as TaskStatus, left);
          Object.assign(item.attempt, { turnStatus: turn, orphanCounts, openTools });
          yield { now, session: sessionIn({ agent, execution, on }), items: [item], others: [] };
        }
}

/** What decides whether a task is tried again: a wish to cancel it, tries that are left, and attempts at all of its lineage. */
const spent = { spent: 100, maxRetries: 2, maxAttempts: null, granted: 0 };
const tasksLeft: Partial<TaskState>[] = [
  ...[
    {},
    { cancelRequested: true },
    { tries: 5 },
    { tries: 5, setbacks: 2, conflicts: 5 },
    { lineage: spent },
  ],
];

/** Another attempt of the same session: it comes first, and takes the session's moves. */
const others: Item[] = (
  [
    ['CLAIMED', 'CLAIMING'],
    ['DONE', 'COMPACTING'],
  ] as const
).map(([status, turnStatus]) => {
  const { task, attempt } = itemIn(status, { id: 'o' });
  return { task, attempt: { ...attempt, id: 'oa', taskId: 'o', turnStatus } };
});

function taskIn(status: TaskStatus, more: Partial<TaskState> = {}): TaskState {
  const counts = { tries: 0, grantedTries: 0, maxRetries: 2, conflicts: 0, setbacks: 0 };
  return { id: 't', runId: 'r', status, version: 3, fence: 1, ...counts, cancelRequested: false, ...more };
}

function itemIn(status: TaskStatus, more: Partial<TaskState>): Item {
  const commits = { startCommit: 'b', headCommit: 'h' };
  const attempt = { id: 'a', taskId: 't', fence: 1, place: 1, turnStatus: 'IDLE', turnSeq: 2 } as const;
  return {
    task: taskIn(status, more),
    attempt: { ...attempt, openTools: 0, ...commits, orphanCounts: false },
  };
}

function sessionIn(given: {
  agent: string | undefined;
  execution: string | undefined;
  on: boolean;
}): SessionState | null {
  const { agent, execution, on } = given;
  if (execution === '–') return null;
  const status = agent === 'nothing' ? null : (agent as SessionState['status']);
  const executionState = execution as SessionState['executionState'];
  const currentAttemptId = on ? 'a' : 'another';
  return { id: 's', runId: 'r', status, statusSeq: 1, executionState, executionSeq: 1, currentAttemptId };
}

/** What all facts, lapsed leases, landings, words of persons and cancels bring about in one situation. */
function* movesIn(situation: Situation & { items: [Item] }): Generator<EventDraft[] | undefined> {
  const { task, attempt } = situation.items[0];
  for (const fact of facts()) {
    yield moved(decideFact(fact, situation, by));
    // A session that holds nothing any more, or another attempt as well.
    if (!('sessionId' in fact)) continue;
    for (const items of [[], ...others.map((other) => [other, ...situation.items])])
      yield moved(decideFact(fact, { ...situation, items }, by));
  }
  for (const items of [situation.items, [], ...others.map((other) => [other, ...situation.items])])
    yield leaseExpiry({ ...situation, items }, by)?.change.events;
  yield landingChange({ task, attempt }, { now, landingId: 'l', actor })?.events;
  const asked = { now, actor, reason, id: 'p', nonce: 'n' };
  yield approvalChange({ task, attempt }, { ...asked, approve: true })?.events;
  yield approvalChange({ task, attempt }, { ...asked, approve: false })?.events;
  yield approvalChange({ task, attempt }, { ...asked, approve: false, say: 's' })?.events;
  yield bulk(cancelMove({ taskIds: ['t'], actor }), situation.items[0]);
}

const moved = (planned: { refused: object | null; events: EventDraft[] }) =>
  planned.refused === null ? planned.events : undefined;

function bulk(move: BulkMove, { task, attempt }: Pick<Item, 'task'> & { attempt?: Item['attempt'] }) {
  return planBulk([{ task, attempt: attempt ?? null, landing: false, now }], move).change.events;
}

/** Moves of tasks that nobody holds. */
function* movesAlone(): Generator<EventDraft[] | undefined> {
  const alone = (status: TaskStatus) => ({ task: taskIn(status, { cancelRequested: true }) });
  for (const status of ['PLANNED', 'OPEN', 'BLOCKED', 'WAITING_FOR_SUBTASKS'] as const)
    yield bulk(cancelMove({ taskIds: ['t'], actor }), alone(status));
  yield bulk(unblockMove({ taskIds: ['t'], actor, reason }), alone('BLOCKED'));
  const ways: [TransitionReason | undefined, TaskStatus, TaskStatus[]][] = [
    [undefined, 'PLANNED', ['OPEN']],
    [undefined, 'PLANNED', ['CANCELLED']],
    ['retry', 'FAILED', ['OPEN']],
    ['retry', 'BLOCKED', ['OPEN', 'WAITING_FOR_SUBTASKS']],
    [undefined, 'WAITING_FOR_SUBTASKS', ['BLOCKED']],
  ];
  for (const [transitionReason, from, way] of ways) {
    const task = taskIn(from);
    const plan = startMoves(
      { now, session: null, items: [], others: [task] },
      { actor, reason, transitionReason },
    );
    for (const to of way) plan.task({ task }, to);
    yield moved(plan.planned);
  }
  const parent = taskIn('WAITING_FOR_SUBTASKS');
  const plan = startMoves({ now, session: null, items: [], others: [parent] }, { actor, reason });
  plan.task({ task: parent }, 'DONE', { transitionReason: 'completed' });
  yield moved(plan.planned);
}

/** The claim, as the database's own statements write it. */
const claimStep = 'task|OPEN|claim||CLAIMED|move|| turn|IDLE|task_claimed||CLAIMING|move||';

/** Keys of all steps that facts, people and upkeep bring about from what an open attempt can reach, in order. */
export async function coupledSteps(): Promise<string[]> {
  const keys = new Set<string>([claimStep]);
  const take = (events: EventDraft[] | undefined) => {
    for (const { step } of changeRows(events ?? [])) keys.add(step);
  };
  for (const tuple of await reachableTuples())
    for (const situation of situations(tuple)) for (const events of movesIn(situation)) take(events);
  for (const events of movesAlone()) take(events);
  return [...keys].sort();
}
