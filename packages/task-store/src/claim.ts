import { BatonError } from '@baton/contracts';
import type { ClaimRequest, Store } from './api.ts';
import { assembleBatch } from './assemble-batch.ts';
import { inTransaction, queryOne, type Db } from './db.ts';
import { codeOf, fromPgError, isContention } from './pg-error.ts';
import { claimHead, claimNext, claimTasks, type ClaimAnswer } from './sql/claim.ts';
import { wakeDue } from './sql/upkeep-selects.ts';
import { jsonText } from './json-text.ts';
import type { Claim } from './types.ts';

const mostTasks = 3;
const mostMates = 50;
/** Heads that one claim passes over (paths, slots, budget) before it gives up until the next poll. */
const mostHeads = 25;

interface Search {
  workerId: string;
  leaseMs: number;
  maxTasks: number;
  runId?: string | undefined;
  taskId?: string;
  capabilities: ClaimRequest['capabilities'];
}

/** Takes the next ready tasks for one agent. @throws INVALID_INPUT for more than 3 */
export const claimBatch =
  (db: Db): Store['claimBatch'] =>
  async (request) => {
    if (request.maxTasks < 1 || request.maxTasks > mostTasks) {
      throw new BatonError(
        'INVALID_INPUT',
        `A batch holds 1 to ${mostTasks} tasks, not ${request.maxTasks}.`,
        { fix: 'Ask for at most 3: above that agents get measurably worse.' },
      );
    }
    return claim(db, request);
  };

/** Takes this very task, if it is ready. */
export const claimTask =
  (db: Db): Store['claimTask'] =>
  (taskId, request) =>
    claim(db, { ...request, taskId, maxTasks: 1 });

async function claim(db: Db, search: Search): Promise<Claim | null> {
  const skip = { tasks: [] as string[], runs: [] as string[] };
  let woken = false;
  for (let head = 0; head < mostHeads; head++) {
    const request = requestOf(db, search, skip);
    const answer =
      search.maxTasks === 1 ? await claimOne(db, request) : await claimSeveral(db, request, search.maxTasks);
    if (answer.ok) {
      db.poke('events');
      return toClaim(answer);
    }
    if (answer.why === 'none') {
      // What has become due since the last upkeep is ready now.
      if (woken || (await queryOne(db, wakeDue, []))?.woken === 0) return null;
      woken = true;
      continue;
    }
    if (typeof answer.head !== 'object') return null;
    if (answer.why === 'slot') skip.runs.push(answer.head.run_id);
    else skip.tasks.push(answer.head.id);
  }
  return null;
}

function requestOf(db: Db, search: Search, skip: { tasks: string[]; runs: string[] }): string {
  const { capabilities } = search;
  return jsonText({
    worker: search.workerId,
    actor: `worker:${search.workerId}`,
    host: capabilities.host,
    labels: capabilities.labels,
    roles: capabilities.roles ?? null,
    run: search.runId ?? null,
    task: search.taskId ?? null,
    lease_ms: search.leaseMs,
    session: db.ids.uuid(),
    attempts: Array.from({ length: search.maxTasks }, () => db.ids.uuid()),
    skip_tasks: skip.tasks,
    skip_runs: skip.runs,
  });
}

async function claimOne(db: Db, request: string): Promise<ClaimAnswer> {
  const row = await queryOne(db, claimNext, [request]);
  return row?.answer ?? { ok: false, why: 'none' };
}

/** What stood in the way of a claim that has to be rolled back. */
class Undone extends Error {
  readonly answer: ClaimAnswer;
  constructor(answer: ClaimAnswer) {
    super('claim undone');
    this.answer = answer;
  }
}

async function claimSeveral(db: Db, request: string, maxTasks: number): Promise<ClaimAnswer> {
  let limit = maxTasks;
  for (let attempt = 0; ; attempt++) {
    let head: { id: string; run_id: string } | undefined;
    try {
      return await inTransaction(db, async (run) => {
        const [found] = await run(claimHead, [request, mostMates]);
        if (found === undefined) return { ok: false, why: 'none' } as const;
        head = { id: found.id, run_id: found.run_id };
        const size = found.alone ? 1 : Math.min(limit, found.batch_size);
        const chosen = assembleBatch({ ...found, waitsFor: [] }, found.mates, size);
        const [row] = await run(claimTasks, [request, chosen]);
        if (row === undefined || !row.answer.ok) throw new Undone(row?.answer ?? { ok: false, why: 'none' });
        return row.answer;
      });
    } catch (error) {
      const conflict = codeOf(error) === '23P01';
      const undone = error instanceof Undone ? error.answer : null;
      if (isContention(error) && attempt < 10) continue;
      if (!conflict && undone === null) throw fromPgError(error);
      const mate = conflict || (undone?.ok === false && undone.head === false);
      // A mate's paths or money stood in the way: the head alone may still go.
      if (mate && limit > 1) {
        limit = 1;
        continue;
      }
      const why = undone !== null && !undone.ok ? undone.why : 'path';
      return { ok: false, why, ...(head === undefined ? {} : { head }) };
    }
  }
}

function toClaim(answer: ClaimAnswer & { ok: true }): Claim {
  const expiry = answer.tasks[0]?.attempt.leaseExpiresAt;
  return {
    sessionId: answer.session_id,
    run: answer.run,
    repo: answer.repo,
    tasks: answer.tasks.map((each) => ({
      task: each.task,
      attempt: each.attempt,
      continueFrom: each.task.continueFrom,
      rejections: each.rejections,
      salvageRef: each.salvage_ref,
      predecessors: each.predecessors,
    })),
    leaseExpiresAt: expiry ?? new Date(0),
  };
}
