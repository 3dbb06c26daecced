import { BatonError } from '@baton/contracts';
import type { Store } from '../api/store.ts';
import type { Fact, RefusalCode } from '../model/fact.ts';
import type { TrustDecision } from '../api/trust.ts';
import { checkReport } from '../apply/check-report.ts';
import { orNotFound, query, queryOne, type Db } from '../db/query.ts';
import { jsonText } from '../db/json-text.ts';
import { budgetEnded, completionBudget } from '../decide/completion-budget.ts';
import { gateRecordsStatement } from './gate-records.sql.ts';
import { lineageOfTask, pastDurationsStatement } from './past-durations.sql.ts';
import { trustCase, trustOutcomes, verdictTampered, weakenedOfRun } from './trust.sql.ts';
import { writeNote } from '../apply/write-note.sql.ts';
import { earlierCommand } from '../read/commands.ts';
import { decideTrust, trustLevel, trustRecord } from '../decide/trust.ts';
import type { TrustSubject, TrustMove } from '../model/trust.ts';

export const pastDurations =
  (db: Db): Store['trust']['pastDurations'] =>
  ({ repoId, role, scope }) =>
    query(db, pastDurationsStatement, [repoId, role, scope]);

export const gateRecords =
  (db: Db): Store['trust']['gates'] =>
  ({ repoId }) =>
    query(db, gateRecordsStatement, [repoId]);

export const budgetOfTask =
  (db: Db): Store['trust']['completionBudget'] =>
  async (taskId) =>
    completionBudget(orNotFound((await queryOne(db, lineageOfTask, [taskId]))?.lineage, `task ${taskId}`));

export const trust =
  (db: Db): Store['trust']['list'] =>
  async ({ repoId }) => {
    const rows = await query(db, trustOutcomes, [repoId ?? null]);
    return [...Map.groupBy(rows, keyOf).values()].flatMap((outcomes) => {
      const [first] = outcomes;
      if (first === undefined) return [];
      const { kind: _, what: __, times: ___, ...subject } = first;
      const ownPlan = trustLevel(outcomes, { start: 'TRUSTED' });
      const others = trustLevel(outcomes, { start: 'UNTRUSTED' });
      return [{ ...subject, ...trustRecord(outcomes), ownPlan, others }];
    });
  };

function keyOf({ repoId, agent, adapter, model, role }: TrustSubject): string {
  return JSON.stringify([repoId, agent, adapter, model, role]);
}

export const trustOf =
  (db: Db): Store['trust']['of'] =>
  async (attemptId, move) =>
    (await judge(db, { attemptId, move })).decision;

export const weakened =
  (db: Db): Store['trust']['weakened'] =>
  (runId) =>
    query(db, weakenedOfRun, [runId]);

type Judged = { decision: TrustDecision; taskId: string; tampered: boolean };

async function judge(db: Db, options: { attemptId: string; move: TrustMove }): Promise<Judged> {
  const { attemptId, move } = options;
  const found = orNotFound(await queryOne(db, trustCase, [attemptId]), `attempt ${attemptId}`);
  const { adapter, trust: mode, taskId, risk, source, tampered, approved, holdsWeakened: _, ...rest } = found;
  const subject = { ...rest, adapter: adapter ?? '' };
  const all = adapter === null ? [] : await query(db, trustOutcomes, [subject.repoId]);
  const outcomes = all.filter((outcome) => keyOf(outcome) === keyOf(subject));
  const verdict = decideTrust({ subject, outcomes, move, task: { risk, source } });
  const common = { enforced: mode === 'enforce', approved };
  // What is put together from landed subtasks is no agent's own work.
  const decision =
    adapter === null
      ? { ...verdict, allowed: true, text: 'no agent worked on it', ...common }
      : { ...verdict, ...common };
  return { decision, taskId, tampered };
}

/** Is a person's word wanted before this agent may make the move? The reason, or null. */
function denial({ decision }: Judged): string | null {
  return decision.enforced && !decision.allowed && !decision.approved ? decision.text : null;
}

/** Ends of a try that the agent itself is answerable for. */
const ownFailures = ['agent_failed', 'timeout', 'crashed'];

/** Wraps `record`: trust and completion budget are asked before the move. Source: docs/spec/kernel.md#guards-and-policies. */
export const recordByPolicy =
  (db: Db, record: Store['claims']['record']): Store['claims']['record'] =>
  async (fact, by) => {
    checkReport([fact], by);
    if (fact.fact === 'decomposed') {
      const refusal = await refuseSplit(db, fact);
      if (refusal !== null && (await earlierCommand(db, by.commandId)) === null)
        return refuse(db, { ...refusal, fact, by });
      return record(fact, by);
    }
    const retried =
      (fact.fact === 'rejected' && fact.kind === 'rejected') ||
      (fact.fact === 'agent_failed' && ownFailures.includes(fact.outcome)) ||
      (fact.fact === 'orphan_settled' && fact.to !== 'DONE');
    if (!retried) return record(fact, by);
    const judged = await judgeIfHeld(db, fact.holding.attemptId);
    const denied = judged === null ? null : denial(judged);
    return record(denied === null ? fact : { ...fact, denied }, by);
  };

/** Most runs only observe: they are not asked further. */
async function judgeIfHeld(db: Db, attemptId: string): Promise<Judged | null> {
  const found = await queryOne(db, trustCase, [attemptId]);
  return found === null || found.trust === 'observe' ? null : judge(db, { attemptId, move: 'retry' });
}

interface Refusal {
  code: RefusalCode;
  text: string;
  taskId: string;
  evidence: unknown;
}

async function refuseSplit(
  db: Db,
  { holding }: Extract<Fact, { fact: 'decomposed' }>,
): Promise<Refusal | null> {
  if ((await queryOne(db, trustCase, [holding.attemptId])) === null) return null;
  const judged = await judge(db, { attemptId: holding.attemptId, move: 'decompose' });
  const { taskId, decision } = judged;
  const denied = denial(judged);
  if (denied !== null) return { code: 'TRANSITION_DENIED', text: denied, taskId, evidence: decision };
  const budget = await budgetOfTask(db)(taskId);
  return budget.stage === 'end'
    ? { code: 'RETRY_BUDGET_EXCEEDED', text: budgetEnded(budget), taskId, evidence: budget }
    : null;
}

async function refuse(
  db: Db,
  { code, text, taskId, evidence, fact, by }: Refusal & { fact: Fact; by: { actor: string } },
): ReturnType<Store['claims']['record']> {
  const note = {
    event: fact.fact,
    kind: 'refused',
    actor: by.actor,
    reason: `${code}: ${text}`,
    metadata: { policy: { code, evidence } },
  };
  await query(db, writeNote, [taskId, jsonText(note)]);
  db.wake('events');
  return { ok: false, code, message: `"${fact.fact}" is not allowed here: ${text}.` };
}

/** Wraps `writeIntents`: what a person must see first does not land without their yes, whatever the lane holder says. @throws TRANSITION_DENIED */
export const intentsByPolicy =
  (db: Db, writeIntents: Store['lanes']['writeIntents']): Store['lanes']['writeIntents'] =>
  async (options) => {
    for (const member of options.members) {
      const denied = await intentDenied(db, member);
      if (denied === null) continue;
      throw new BatonError('TRANSITION_DENIED', `This work may not land without a person: ${denied}.`, {
        fix: 'Ask for an approval (the fact "approval_wanted"); `baton approve` gives it.',
      });
    }
    return writeIntents(options);
  };

const signs = 'its verdict shows signs of tampering';

async function intentDenied(
  db: Db,
  {
    holding,
    verdictId,
  }: Pick<Parameters<Store['lanes']['writeIntents']>[0]['members'][number], 'holding' | 'verdictId'>,
): Promise<string | null> {
  const { attemptId } = holding;
  const found = await queryOne(db, trustCase, [attemptId]);
  if (found === null) return null;
  const { trust: mode, tampered, approved, holdsWeakened } = found;
  if (mode === 'observe') {
    if (!tampered || approved || !holdsWeakened) return null;
    return (await queryOne(db, verdictTampered, [verdictId]))?.tampered === true ? signs : null;
  }
  const judged = await judge(db, { attemptId, move: 'land' });
  return judged.tampered && !judged.decision.approved ? signs : denial(judged);
}
