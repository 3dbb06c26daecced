import { BatonError } from '@baton/contracts';
import type { Store } from '../api/store.ts';
import type { Actor, RunDraft } from '../model/requests.ts';
import { newTasks } from '../apply/new-tasks.ts';
import { snakeKeys } from '../db/column-names.ts';
import { jsonText } from '../db/json-text.ts';
import { codeOf } from '../db/pg-error.ts';
import { orNotFound, query, queryOne, type Db } from '../db/query.ts';
import { checkActor, completeRun } from '../model/new-run.ts';
import { listed } from '../read/lists.ts';
import { runById } from '../read/runs.sql.ts';
import { createRunStatement } from './create-run.sql.ts';
import { hashOf } from './gates-hash.ts';

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
