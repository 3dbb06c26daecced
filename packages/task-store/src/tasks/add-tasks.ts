import { BatonError, type TaskDraft } from '@baton/contracts';
import type { Store } from '../api/store.ts';
import type { Actor } from '../model/requests.ts';
import { orNotFound, query, queryOne, type Db } from '../db/query.ts';
import { checkActor, completeTasks } from '../model/new-run.ts';
import { jsonText } from '../db/json-text.ts';
import { listed } from '../read/lists.ts';
import type { GroupOptions } from '../db/group-commit.ts';
import { codeOf, isConnectionError } from '../db/pg-error.ts';
import { snakeKeys } from '../db/column-names.ts';
import { reopenRun } from '../apply/move-run.ts';
import { addTasksStatement, addTasksTelling, placeOfRun, tasksMeant } from './add-tasks.sql.ts';
import { newTasks, storedTask } from '../apply/new-tasks.ts';
import type { Task } from '../model/task.ts';
import type { Added, Addition } from '../decide/change.ts';

/** Tasks of the run that the drafts mean: what they depend on, and what was added before under their idempotency keys. */
interface Present {
  existing: Map<string, string>;
  repeated: Map<string, string>;
  cancelled: Set<string>;
}

/** Adds tasks to a run; a draft whose idempotency key the run has already gives the task that is there. @throws CONFLICT, INVALID_INPUT, DEPENDENCY_CYCLE */
export const addTasks =
  (db: Db): Store['tasks']['add'] =>
  async (runId, { drafts, planned = false, ...by }) => {
    checkActor(by);
    return addDrafts(db, { runId, drafts: completeTasks(drafts, by), planned, by });
  };

async function addDrafts(
  db: Db,
  given: { runId: string; drafts: readonly TaskDraft[]; planned: boolean; by: Actor },
): Promise<Task[]> {
  const { runId, drafts, planned, by } = given;
  const place = db.places.get(runId) ?? (await placeOf(db, runId));
  const present = await presentTasks(db, runId, drafts);
  const fresh = drafts.filter((draft) => !present.repeated.has(draft.key));
  const dead = fresh.flatMap((draft) => draft.dependsOn).find((key) => present.cancelled.has(key));
  if (dead !== undefined)
    throw new BatonError('CONFLICT', `Task "${dead}" is cancelled: nothing can wait for it.`, {
      fix: 'Depend on another task.',
    });
  const status = planned ? 'PLANNED' : 'OPEN';
  const { ids, tasks, edges } = newTasks(
    fresh,
    { runId, ...place, parentId: null, status, existing: present.existing },
    db.ids,
  );
  const freshIds = new Map(fresh.map((draft, at) => [draft.key, ids[at] ?? '']));
  const all = drafts.map((draft) => present.repeated.get(draft.key) ?? freshIds.get(draft.key) ?? '');
  const addition: Addition = {
    runId,
    tasks,
    edges,
    by: { actor: by.actor, reason: by.reason },
    command:
      by.commandId === undefined
        ? undefined
        : { id: by.commandId, actor: by.actor, answer: { taskIds: all } },
  };
  const plain = edges.length === 0 && by.commandId === undefined && tasks.length <= mostTogether;
  const added = await (plain ? db.addPlain(addition) : add(db, addition)).catch(unlessOvertaken);
  // What it depends on was cancelled in between: a second look finds that.
  if (added === 'overtaken') return addDrafts(db, given);
  if ('repeated' in added) return listed.tasks(db, added.repeated.taskIds);
  if (added.runStatus !== 'running' && added.runStatus !== 'paused') await reopenRun(db, runId, by);
  const { made } = added;
  if (made === null || fresh.length < drafts.length) return listed.tasks(db, all);
  return fresh.map((draft, at) =>
    storedTask(draft, {
      ...{ id: ids[at] ?? '', place: { runId, repoId: place.repoId }, planned },
      ...{ at: made.at, n: made.from + at + 1, opened: made.opened },
    }),
  );
}

/** Sets on their way at once, of one run only one: two would need a third more of the processors and be no faster. And additions in one. */
const lanes = 2;
const lanesOfKind = 1;
const most = 64;
/** An addition of more tasks gains nothing from company. */
const mostTogether = 64;

/** Groups of additions to one run by one actor that need no look at other tasks, see {@link createGroup}. */
export const additionGroup = (db: Db): GroupOptions<Addition, Added> => ({
  lanes,
  lanesOfKind,
  most,
  kindOf: ({ runId, by }) => JSON.stringify([runId, by.actor, by.reason]),
  keysOf: () => [],
  send: (additions) => addTogether(db, additions),
});

/** One statement for all; when it fails, nothing has happened, and each goes by itself. */
async function addTogether(db: Db, additions: readonly Addition[]): Promise<(Added | Promise<Added>)[]> {
  const [first, ...others] = additions;
  if (first === undefined) return [];
  const together = { ...first, tasks: additions.flatMap(({ tasks }) => tasks) };
  const added = await add(db, together).catch((error: unknown) => {
    if (others.length === 0 || isConnectionError(error)) throw error;
    return null;
  });
  if (added === null) return additions.map((addition) => add(db, addition));
  if ('repeated' in added) return [added];
  let from = 0;
  return additions.map(({ tasks }) => {
    const made = added.made && { ...added.made, from };
    from += tasks.length;
    return { ...added, made };
  });
}

async function add(db: Db, { runId, edges, ...rest }: Addition): Promise<Added> {
  const request = { ...rest, run_id: runId, edges: edges.map((edge) => snakeKeys(edge)) };
  const tells = db.mayNotify();
  const row = await queryOne(db, tells ? addTasksTelling : addTasksStatement, [jsonText(request)]);
  const { answer } = orNotFound(row, 'answer');
  if (!tells) {
    db.wake('work');
    db.wake('events');
  }
  return 'repeated' in answer ? answer : { ...answer, made: answer.made && { ...answer.made, from: 0 } };
}

/** Where the run's work is done never changes. @throws NOT_FOUND */
async function placeOf(db: Db, runId: string): Promise<{ repoId: string; host: string | null }> {
  const place = orNotFound(await queryOne(db, placeOfRun, [runId]), `run ${runId}`);
  db.places.set(runId, place);
  return place;
}

async function presentTasks(db: Db, runId: string, drafts: readonly TaskDraft[]): Promise<Present> {
  const present: Present = { existing: new Map(), repeated: new Map(), cancelled: new Set() };
  const own = new Set(drafts.map(({ key }) => key));
  const waitedFor = drafts.flatMap((draft) => draft.dependsOn).filter((key) => !own.has(key));
  const wanted = new Map(
    drafts.flatMap(({ key, idempotencyKey }) =>
      idempotencyKey === null || idempotencyKey === undefined ? [] : [[idempotencyKey, key] as const],
    ),
  );
  // Keys that are there already are refused by the database itself, so that an ordinary addition reads nothing first.
  if (waitedFor.length === 0 && wanted.size === 0) return present;
  const rows = await query(db, tasksMeant, [runId, [...own, ...waitedFor], [...wanted.keys()]]);
  for (const { id, key, idempotencyKey, status } of rows) {
    present.existing.set(key, id);
    if (status === 'CANCELLED') present.cancelled.add(key);
    const draftKey = idempotencyKey === null ? undefined : wanted.get(idempotencyKey);
    if (draftKey !== undefined) present.repeated.set(draftKey, id);
  }
  return present;
}

function unlessOvertaken(error: unknown): 'overtaken' {
  const missed = codeOf((error as Error).cause);
  if (missed === 'BA010') return 'overtaken';
  if (missed === 'BA015')
    throw new BatonError('CONFLICT', 'The run is cancelled: nothing more is done in it.', {
      fix: 'Add the tasks to another run, or start a new one.',
      cause: error,
    });
  if (codeOf(error) !== '23505') throw error;
  throw new BatonError('CONFLICT', 'The run has a task of that key already.', {
    fix: 'Give it another key, or the idempotency key under which it was added: then it is found.',
    cause: error,
  });
}
