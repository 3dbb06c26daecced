import { BatonError, findCycle, type Ids, type TaskDraft } from '@baton/contracts';
import { snake } from '../db/column-names.ts';
import type { Task } from '../model/task.ts';

/** Rows and edges of new tasks, in the order of their drafts. */
export interface NewTasks {
  ids: string[];
  /** Task rows as JSON, with the names of the columns. */
  tasks: Record<string, unknown>[];
  edges: { taskId: string; dependsOnId: string }[];
}

/** Where new tasks go. */
export interface TaskPlace {
  runId: string;
  repoId: string | null;
  host: string | null;
  parentId: string | null;
  status: 'PLANNED' | 'OPEN';
  /** Tasks of the run that drafts may depend on besides one another. */
  existing: ReadonlyMap<string, string>;
}

/**
 * Turns drafts, which were parsed where they came in, into rows.
 * @throws INVALID_INPUT for two drafts of one key or an unknown dependency; DEPENDENCY_CYCLE naming the cycle
 */
export function newTasks(drafts: TaskDraft[], place: TaskPlace, ids: Ids): NewTasks {
  const idOf = new Map<string, string>();
  for (const draft of drafts) {
    if (idOf.has(draft.key) || place.existing.has(draft.key)) {
      throw new BatonError('INVALID_INPUT', `Two tasks of the run have the key "${draft.key}".`, {
        at: draft.key,
        fix: 'Give each task a key of its own.',
      });
    }
    idOf.set(draft.key, ids.uuid());
  }
  refuseCycle(drafts);
  const edges = drafts.flatMap((draft) =>
    [...new Set(draft.dependsOn)].map((key) => {
      const dependsOnId = idOf.get(key) ?? place.existing.get(key);
      if (dependsOnId === undefined) {
        throw new BatonError(
          'INVALID_INPUT',
          `Task "${draft.key}" depends on "${key}", which the run does not have.`,
          { at: draft.key, fix: 'Name the key of another task of the run.' },
        );
      }
      return { taskId: idOf.get(draft.key) ?? '', dependsOnId };
    }),
  );
  const tasks = drafts.map((draft) => toRow(draft, { id: idOf.get(draft.key) ?? '', place }));
  return { ids: drafts.map((draft) => idOf.get(draft.key) ?? ''), tasks, edges };
}

function toRow(draft: TaskDraft, { id, place }: { id: string; place: TaskPlace }): Record<string, unknown> {
  // Text from outside waits for a person, no matter who submits it.
  const status = draft.source.trusted ? place.status : 'PLANNED';
  const { runId, repoId, host, parentId } = place;
  const given = { ...draft, dependsOn: null, id, runId, repoId, host, parentId, status };
  const row: Record<string, unknown> = {};
  // What is null is left out: reading it would cost the database as much as a value.
  for (const [key, value] of Object.entries(given)) if (value !== null) row[snake(key)] = value;
  return row;
}

/** What a new task without dependencies looks like once it is stored as the n-th (from 1) of its set. */
export function storedTask(
  draft: TaskDraft,
  given: {
    id: string;
    place: { runId: string; repoId: string };
    planned: boolean;
    at: number;
    n: number;
    opened: boolean;
  },
): Task {
  const { dependsOn: _, idempotencyKey: __, notBefore, ...columns } = draft;
  const { id, place, planned, at, n, opened } = given;
  const status = planned || !draft.source.trusted ? 'PLANNED' : 'OPEN';
  const due = notBefore === null ? null : new Date(notBefore);
  return {
    ...columns,
    ...place,
    id,
    parentId: null,
    status,
    version: 0,
    maxAttempts: draft.maxAttempts ?? null,
    pendingDependencies: 0,
    claimable: opened && status === 'OPEN' && (due === null || due.getTime() * 1000 <= at),
    tries: 0,
    grantedTries: 0,
    conflicts: 0,
    notBefore: due,
    blockedOn: null,
    cancelRequested: false,
    settled: false,
    createdAt: new Date(Math.floor((at + n) / 1000)),
    updatedAt: new Date(Math.floor(at / 1000)),
  };
}

function refuseCycle(drafts: TaskDraft[]): void {
  const waiting = drafts.filter(({ dependsOn }) => dependsOn.length > 0);
  const found = findCycle(new Map(waiting.map(({ key, dependsOn }) => [key, dependsOn])));
  if (found === null) return;
  const [key = ''] = found;
  const shown = found.length > 12 ? [...found.slice(0, 10), '…', key] : found;
  throw new BatonError(
    'DEPENDENCY_CYCLE',
    `The tasks depend on one another in a circle: ${shown.join(' → ')}.`,
    { at: key, details: { cycle: shown }, fix: 'Remove one of these dependencies.' },
  );
}
