import { BatonError, type TriggerEvent } from '@baton/contracts';
import type { Store } from '../api/store.ts';
import { orNotFound, query, queryOne, type Db } from '../db/query.ts';
import { readCursor } from '../db/page.ts';
import { snakeKeys } from '../db/column-names.ts';
import { reopenDelivered } from '../apply/reopen-delivered.ts';
import { reopenRun } from '../apply/move-run.ts';
import { tasksByKey } from '../read/tasks.ts';
import { acceptDeliveryStatement } from './accept-delivery.sql.ts';
import { selectDeliveries, selectDeliveryDiffers } from './deliveries.sql.ts';
import { triggeredTasksStatement } from './triggered-tasks.sql.ts';
import { standingRun } from '../runs/standing-run.ts';
import { newTasks } from '../apply/new-tasks.ts';
import { jsonText } from '../db/json-text.ts';

/** Inbox row and tasks in one transaction; a redelivery answers as before and makes nothing. */
export const acceptDelivery =
  (db: Db): Store['inbox']['accept'] =>
  async ({ event, matches, decidedOn = null }) => {
    const by = { actor: `trigger:${event.source}`, reason: `delivery ${event.deliveryId}` };
    const adds = [];
    const taskIds: string[] = [];
    const runIds = new Set<string>();
    const taken = new Map<string, Map<string, string>>();
    for (const match of matches) {
      const run = await standingRun(db, match, by);
      const existing = taken.get(run.id) ?? (await tasksByKey(db, run.id));
      taken.set(run.id, existing);
      // One rule makes many tasks of one name.
      const key = existing.has(match.draft.key)
        ? `${match.draft.key.slice(0, 50)}-${db.ids.uuid().slice(-8)}`
        : match.draft.key;
      const place = {
        runId: run.id,
        repoId: run.repoId,
        host: run.host,
        parentId: null,
        status: match.planned ? 'PLANNED' : 'OPEN',
        existing,
      } as const;
      const { ids, tasks, edges } = newTasks([{ ...match.draft, key }], place, db.ids);
      adds.push({ tasks, edges: edges.map((edge) => snakeKeys(edge)), by });
      taskIds.push(...ids);
      existing.set(key, ids[0] ?? '');
      runIds.add(run.id);
    }
    const answer = await queryOne(db, acceptDeliveryStatement, [
      jsonText({ id: db.ids.uuid(), event, task_ids: taskIds, adds, decided_on: decided(decidedOn) }),
    ]);
    if (answer === null)
      throw new BatonError('STALE', `Delivery ${event.deliveryId} got no answer.`, {
        fix: 'Deliver it again.',
      });
    if (answer.answer.overtaken) return { ...answer.answer, differs: false };
    // A run that ended before its tasks were there stays so when the server dies here: a redelivery and upkeep look again.
    if (answer.answer.duplicate) await reopenDelivered(db, { taskIds: answer.answer.taskIds, by });
    else for (const runId of runIds) await reopenRun(db, runId, { ...by, evenCancelled: true });
    db.wake('work');
    db.wake('events');
    return { ...answer.answer, differs: answer.answer.duplicate && (await differs(db, event)) };
  };

async function differs(db: Db, { source, deliveryId, data }: TriggerEvent): Promise<boolean> {
  const found = await queryOne(db, selectDeliveryDiffers, [source, deliveryId, jsonText(data)]);
  return found?.differs ?? false;
}

export const deliveries =
  (db: Db): Store['inbox']['deliveries'] =>
  async ({ limit, after }) =>
    query(db, selectDeliveries, [readCursor(after), limit]);

export const triggeredTasks =
  (db: Db): Store['inbox']['triggeredTasks'] =>
  async ({ rules, reachMs }) =>
    orNotFound(await queryOne(db, triggeredTasksStatement, [rules.map(creatorOf), reachMs]), 'answer');

const creatorOf = (rule: string) => `trigger:${rule}`;

function decided(on: { rules: readonly string[]; made: number } | null) {
  return on === null ? null : { rules: on.rules.map(creatorOf), made: on.made };
}
