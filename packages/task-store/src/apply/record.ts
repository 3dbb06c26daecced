import type { TaskDraft, TaskSource } from '@baton/contracts';
import type { Store } from '../api/store.ts';
import { type Fact, type RecordOutcome, isProgress } from '../model/fact.ts';
import { apply } from './apply.ts';
import type { Applied, Change } from '../decide/change.ts';
import { orNotFound, query, queryOne, type Db } from '../db/query.ts';
import { followUp } from './follow-up.ts';
import { changeOf } from '../decide/to-change.ts';
import type { Planned } from '../decide/plan-state.ts';
import { coupledSequence } from '../decide/decide-facts.ts';
import { checkReport } from './check-report.ts';
import { holdingsOf, isLostByFence, staleItem } from '../decide/check-fence.ts';
import { situationOfAttempt, situationOfAttempts, situationOfSession } from './load-situation.sql.ts';
import { repoById } from '../read/attempts.sql.ts';
import { earlierCommand } from '../read/commands.ts';
import { tasksByKey } from '../read/tasks.ts';
import { tasksById } from '../read/tasks.sql.ts';
import { writeNote } from './write-note.sql.ts';
import { newTasks } from './new-tasks.ts';
import { jsonText } from '../db/json-text.ts';
import { recordOutcome } from '../db/rows.ts';
import type { LoadedSituation } from '../decide/loaded-situation.ts';

/** How often a decision is made again because other changes overtook it. */
export const decideTries = 12;

/** Reads what facts are decided on; what this process knows already is not read when all of them can be decided on it. */
async function load(
  db: Db,
  facts: readonly Fact[],
): Promise<{ situation: LoadedSituation | null; known: boolean }> {
  const [first] = facts;
  if (first !== undefined && 'sessionId' in first)
    return { situation: await queryOne(db, situationOfSession, [first.sessionId]), known: false };
  const ids = [...new Set(holdingsOf(facts).map(({ attemptId }) => attemptId))];
  const known = facts.every(isProgress) ? db.snapshots.of(ids) : null;
  if (known !== null) return { situation: known, known: true };
  const rows = await (ids.length === 1
    ? query(db, situationOfAttempt, [ids[0]])
    : query(db, situationOfAttempts, [ids]));
  const [row] = rows;
  const whole = row !== undefined && rows.length === 1 && row.items.length === ids.length;
  return { situation: whole ? row : null, known: false };
}

/**
 * Records facts: the kernel decides on a snapshot, and one statement applies all moves of their rows where version and fence
 * still match; a miss decides again. Several facts of one session happen in order, all or none. Source:
 * docs/spec/store.md#moves, docs/spec/kernel.md#coupled-steps.
 */
export const recordAll =
  (db: Db): Store['claims']['recordAll'] =>
  async (facts, by) => {
    checkReport(facts, by);
    return recordFacts(db, { facts, by });
  };

/** Records one fact, see {@link recordAll}. */
export const record =
  (db: Db): Store['claims']['record'] =>
  (fact, by) =>
    recordFacts(db, { facts: [fact], by });

async function recordFacts(
  db: Db,
  options: { facts: readonly [Fact, ...Fact[]]; by: { actor: string; commandId?: string } },
): Promise<RecordOutcome> {
  const { facts, by } = options;
  const [fact] = facts;
  const holdings = holdingsOf(facts);
  const attemptIds = holdings.map(({ attemptId }) => attemptId);
  for (let attempt = 0; attempt < decideTries; attempt++) {
    const { situation, known } = await load(db, facts);
    if (situation === null)
      return refusal('NOT_FOUND', `There is no such attempt or session for "${fact.fact}".`);
    const stale = staleItem(holdings, situation.items);
    if (stale !== undefined && !known)
      return (await answerBefore(db, by)) ?? late(db, { fact, by, taskId: stale.task.id });
    const { planned, after } = coupledSequence(facts, situation, { actor: by.actor, random: db.random() });
    if (known && (stale !== undefined || planned.refused !== null)) {
      db.snapshots.drop(attemptIds);
      continue;
    }
    if (planned.refused !== null)
      return (await answerBefore(db, by)) ?? refused(db, { fact, by, planned, situation });
    const outcome: RecordOutcome = { ok: true, taskStatus: statusAfter(planned, situation) };
    const change = await extended(db, { facts, by, situation, change: changeOf(planned, situation) });
    if (by.commandId !== undefined) change.command = { id: by.commandId, actor: by.actor, answer: outcome };
    const applied = await apply(db, change);
    if (applied.ok) {
      if (facts.every(isProgress)) db.snapshots.keep(after);
      else db.snapshots.drop(after.items.map((item) => item.attempt.id));
      await followUp(db, {
        change,
        cascade: applied.cascade,
        parents: parentsOf(situation),
        actor: by.actor,
      });
      return outcome;
    }
    db.snapshots.drop(attemptIds);
    const answer = final(applied);
    if (answer !== null) return answer;
    if (applied.why === 'fence' && isLostByFence(holdings))
      return late(db, { fact, by, taskId: situation.items[0]?.task.id });
  }
  return refusal('STALE', `"${fact.fact}" was overtaken ${decideTries} times; report it again.`);
}

/** What the same command was answered when it had its effect: by now the world has moved on, and it would be refused. */
async function answerBefore(db: Db, by: { commandId?: string }): Promise<RecordOutcome | null> {
  const command = await earlierCommand(db, by.commandId);
  return recordOutcome.nullable().parse(command?.answer ?? null);
}

function final(applied: Applied & { ok: false }): RecordOutcome | null {
  return applied.why === 'repeated' ? (applied.answer as RecordOutcome) : null;
}

function refusal(code: (RecordOutcome & { ok: false })['code'], message: string): RecordOutcome {
  return { ok: false, code, message };
}

function statusAfter(planned: Planned, situation: LoadedSituation) {
  const [item] = situation.items;
  if (item === undefined) return null;
  return planned.tasks.get(item.task.id)?.status ?? item.task.status;
}

function parentsOf(situation: LoadedSituation): string[] {
  return situation.items.flatMap(({ task }) => (task.parentId === null ? [] : [task.parentId]));
}

async function late(
  db: Db,
  report: { fact: Fact; by: { actor: string }; taskId: string | undefined },
): Promise<RecordOutcome> {
  const { fact, by, taskId } = report;
  if (taskId !== undefined) {
    const note = {
      event: fact.fact,
      kind: 'late_report',
      actor: by.actor,
      reason: 'the lease belongs to another holder now',
      metadata: { report: fact },
    };
    await query(db, writeNote, [taskId, jsonText(note)]);
    db.wake('events');
  }
  return refusal(
    'LEASE_LOST',
    `"${fact.fact}" came too late: the attempt has another holder now. It was kept, without effect.`,
  );
}

async function refused(
  db: Db,
  report: { fact: Fact; by: { actor: string }; planned: Planned; situation: LoadedSituation },
): Promise<RecordOutcome> {
  const { fact, by, planned, situation } = report;
  const { machine = '', from = '', what = '' } = planned.refused ?? {};
  const why =
    from === 'nothing'
      ? `there is no ${machine} yet that could take "${what}"`
      : `the ${machine} is ${from}, and from there "${what}" is no move`;
  const [item] = situation.items;
  if (item !== undefined) {
    await query(db, writeNote, [
      item.task.id,
      jsonText({ event: fact.fact, kind: 'refused', actor: by.actor, reason: why, metadata: {} }),
    ]);
    db.wake('events');
  }
  return refusal('ILLEGAL_TRANSITION', `"${fact.fact}" is impossible here: ${why}.`);
}

/** Adds what a fact brings besides moves: children, an approval. */
async function extended(
  db: Db,
  options: { facts: readonly Fact[]; by: { actor: string }; situation: LoadedSituation; change: Change },
): Promise<Change> {
  const { facts, by, situation, change } = options;
  const [item] = situation.items;
  const fact = facts.at(-1);
  if (item === undefined || fact === undefined) return change;
  if (fact.fact === 'decomposed')
    return {
      ...change,
      add: await childrenOf(db, {
        taskId: item.task.id,
        drafts: fact.children,
        actor: by.actor,
        reason: fact.reason,
      }),
    };
  if (fact.fact === 'approval_wanted') {
    const { reason, headCommit, patchId } = fact;
    const ids = {
      id: db.ids.uuid(),
      runId: item.task.runId,
      taskId: item.task.id,
      attemptId: item.attempt.id,
      nonce: db.ids.uuid(),
    };
    return { ...change, approval: { ...ids, reason, headCommit, patchId } };
  }
  return change;
}

/** Work that is split off comes from the agent, whatever it says of itself, and is trusted no further than what it is part of. */
function sourceOfChild(
  parent: TaskSource,
  { taskId, actor, draft }: { taskId: string; actor: string; draft: TaskDraft },
): TaskSource {
  const { trusted, deliveryId, depth } = parent;
  return {
    kind: 'agent',
    by: `${actor} for task ${taskId}`,
    trusted: trusted && draft.source.trusted,
    ...(deliveryId === undefined ? {} : { deliveryId }),
    ...(depth === undefined ? {} : { depth }),
  };
}

/** Rows of a task's children. @throws INVALID_INPUT, DEPENDENCY_CYCLE */
export async function childrenOf(
  db: Db,
  options: { taskId: string; drafts: TaskDraft[]; actor: string; reason: string },
): Promise<NonNullable<Change['add']>> {
  const [parent] = await query(db, tasksById, [[options.taskId]]);
  if (parent === undefined) throw new Error(`task ${options.taskId} vanished`);
  const repo = orNotFound(
    await queryOne(db, repoById, [parent.repoId]),
    `repository of task ${options.taskId}`,
  );
  const place = {
    runId: parent.runId,
    repoId: parent.repoId,
    host: repo.host,
    parentId: parent.id,
    status: 'OPEN',
  } as const;
  const { tasks, edges } = newTasks(
    options.drafts.map((draft) => ({
      ...draft,
      source: sourceOfChild(parent.source, { ...options, draft }),
    })),
    { ...place, existing: await tasksByKey(db, parent.runId) },
    db.ids,
  );
  return { tasks, edges, by: { actor: options.actor, reason: options.reason } };
}
