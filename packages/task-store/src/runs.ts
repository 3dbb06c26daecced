import { createHash } from 'node:crypto';
import { BatonError } from '@baton/contracts';
import type { Actor, RunDraft, Store } from './api.ts';
import { query, queryOne, orNotFound, type Db } from './db.ts';
import { listed } from './lists.ts';
import { codeOf } from './pg-error.ts';
import { checkActor, completeRun } from './new-run.ts';
import { escaped, pageLimit, readCursor, refuseForeign, toPage } from './page.ts';
import { snakeKeys } from './rows.ts';
import { createRunStatement } from './sql/create-run.ts';
import { listRunsStatement, pinBaseStatement, runById, runsByReference } from './sql/select-runs.ts';
import { newTasks } from './task-rows.ts';
import { jsonText } from './json-text.ts';
import type { Run } from './types.ts';

/** Hash of what gates and signals check: part of a verdict's key. */
export function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/** Creates a run with its tasks, PLANNED until somebody approves, in one transaction. @throws INVALID_INPUT, CONFLICT for a slug in use */
export const createRun =
  (db: Db): Store['runs']['create'] =>
  async (draft, by) => {
    checkActor(by);
    const complete = completeRun(draft, { by, ids: db.ids });
    const runId = await insertRun(db, { draft: complete, by, standing: false });
    const run = orNotFound(await queryOne(db, runById, [runId]), `run ${runId}`);
    return { run, tasks: await listed.tasksOfRun(db, runId) };
  };

/** Writes a run with all that belongs to it; returns its id. */
export async function insertRun(
  db: Db,
  options: { draft: RunDraft; by: Actor; standing: boolean },
): Promise<string> {
  const { draft, by } = options;
  const runId = db.ids.uuid();
  const place = {
    runId,
    repoId: null,
    host: draft.repo.host,
    parentId: null,
    status: 'PLANNED',
    existing: new Map(),
  } as const;
  const { tasks, edges } = newTasks(draft.tasks, place, db.ids);
  const { tasks: _tasks, repo: _repo, budgetMicroUsd, ...columns } = draft;
  const request = {
    ...(by.commandId === undefined ? {} : { command: { id: by.commandId, actor: by.actor } }),
    by: { actor: by.actor, reason: by.reason },
    repo: { id: db.ids.uuid(), ...draft.repo },
    run: snakeKeys({
      ...columns,
      id: runId,
      status: 'running',
      gatesHash: hashOf(draft.gates),
      standing: options.standing,
    }),
    budget: budgetMicroUsd,
    tasks,
    edges: edges.map((edge) => snakeKeys(edge)),
  };
  try {
    const [row] = await query(db, createRunStatement, [jsonText(request)]);
    db.wake('work');
    db.wake('events');
    return row?.answer.runId ?? runId;
  } catch (error) {
    if (codeOf(error) !== '23505') throw error;
    throw new BatonError('CONFLICT', `There is a run "${draft.slug}" already.`, {
      at: draft.slug,
      fix: 'Choose another slug.',
      cause: error,
    });
  }
}

export const getRun = (db: Db) => (id: string) => queryOne(db, runById, [id]);

/** Like `getRun`, for those who know that it is there. @throws NOT_FOUND */
export async function runOf(db: Db, id: string): Promise<Run> {
  return orNotFound(await queryOne(db, runById, [id]), `run ${id}`);
}

/** Sets the base commit once; answers the one that stands. @throws NOT_FOUND */
export const pinBase =
  (db: Db): Store['runs']['pinBase'] =>
  async (runId, baseCommit) =>
    orNotFound(await queryOne(db, pinBaseStatement, [runId, baseCommit]), `run ${runId}`).baseCommit;

export const findRun =
  (db: Db): Store['runs']['find'] =>
  async (reference) => {
    const found = await query(db, runsByReference, [reference, escaped(reference)]);
    const [first, second] = found;
    if (first === undefined || reference === '') return orNotFound<Run>(null, `run "${reference}"`);
    if (second === undefined || first.id === reference || first.slug === reference) return first;
    const slugs = found.map((run) => run.slug).join(', ');
    throw new BatonError('AMBIGUOUS', `"${reference}" fits several runs: ${slugs}.`, {
      fix: 'Give more of the name.',
    });
  };

export const listRuns =
  (db: Db): Store['runs']['list'] =>
  async (filter) => {
    const limit = pageLimit(filter.limit);
    const cursor = readCursor(filter.cursor);
    const values = [filter.status ?? null, filter.repoId ?? null, cursor, limit + 1];
    const rows = await query(db, listRunsStatement, values);
    await refuseForeign(rows, { cursor, find: getRun(db) });
    return toPage(rows, limit);
  };
