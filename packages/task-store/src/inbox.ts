import { createHash } from 'node:crypto';
import { BatonError } from '@baton/contracts';
import type { RunDraft, Store } from './api.ts';
import { query, queryOne, retried, type Db } from './db.ts';
import { snakeKeys } from './rows.ts';
import { reopenRun } from './run-acts.ts';
import { insertRun } from './runs.ts';
import { acceptDeliveryStatement } from './sql/accept-delivery.ts';
import { triggeredTasksStatement } from './sql/triggered-tasks.ts';
import { newTasks } from './task-rows.ts';

type Match = Parameters<Store['acceptDelivery']>[0]['matches'][number];

/** A run that a rule's tasks go into. */
interface StandingRun {
  id: string;
  repoId: string;
  host: string | null;
}

/** Inbox row and tasks in one transaction; a redelivery answers as before and does nothing. */
export const acceptDelivery =
  (db: Db): Store['acceptDelivery'] =>
  async ({ event, matches }) => {
    const by = { actor: `trigger:${event.source}`, reason: `delivery ${event.deliveryId}` };
    const adds = [];
    const taskIds: string[] = [];
    const runIds = new Set<string>();
    const taken = new Map<string, Map<string, string>>();
    for (const match of matches) {
      const run = await standingRun(db, match, by);
      const existing =
        taken.get(run.id) ??
        new Map(
          (await db.prisma.task.findMany({ where: { runId: run.id }, select: { id: true, key: true } })).map(
            ({ key, id }) => [key, id],
          ),
        );
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
      adds.push({ tasks, edges: edges.map(snakeKeys), by });
      taskIds.push(...ids);
      existing.set(key, ids[0] ?? '');
      runIds.add(run.id);
    }
    const answer = await queryOne(db, acceptDeliveryStatement, [
      JSON.stringify({ id: db.ids.uuid(), event, task_ids: taskIds, adds }),
    ]);
    if (answer === null)
      throw new BatonError('STALE', `Delivery ${event.deliveryId} got no answer.`, {
        fix: 'Deliver it again.',
      });
    if (!answer.answer.duplicate) for (const runId of runIds) await reopenRun(db, runId, by);
    db.poke('work');
    db.poke('events');
    return answer.answer;
  };

/** The standing run `trigger-<rule>`, made when it is the rule's first delivery. */
async function standingRun(
  db: Db,
  match: Match,
  by: { actor: string; reason: string },
): Promise<StandingRun> {
  const place = { location: match.repo.location, host: match.repo.host };
  const plain = `trigger-${match.rule}`;
  // A rule that serves several repositories or targets has a run for each.
  const special = `${plain}-${createHash('sha256')
    .update(JSON.stringify([place, match.target]))
    .digest('hex')
    .slice(0, 6)}`;
  for (const slug of [plain, special]) {
    const run = await findStanding(db, slug);
    if (run === null) {
      await insertRun(db, { draft: standingDraft(match, { slug, place }), by, standing: true }).catch(
        (error: unknown) => {
          // Another delivery made it at the same moment.
          if (!BatonError.is(error, 'CONFLICT')) throw error;
        },
      );
    }
    const made = run ?? (await findStanding(db, slug));
    if (
      made !== null &&
      made.location === place.location &&
      made.host === place.host &&
      made.target === match.target
    )
      return made;
  }
  throw new BatonError('CONFLICT', `The run ${special} belongs to another repository.`, {
    fix: 'Rename the rule.',
  });
}

async function findStanding(
  db: Db,
  slug: string,
): Promise<(StandingRun & { location: string; target: string }) | null> {
  const run = await retried(true, () =>
    db.prisma.run.findUnique({ where: { slug }, include: { repo: true } }),
  );
  return run === null
    ? null
    : {
        id: run.id,
        repoId: run.repoId,
        host: run.repo.host,
        location: run.repo.location,
        target: run.target,
      };
}

function standingDraft(match: Match, options: { slug: string; place: RunDraft['repo'] }): RunDraft {
  return {
    slug: options.slug,
    name: match.rule,
    repo: options.place,
    target: match.target,
    baseCommit: match.baseCommit,
    batchSize: 3,
    maxAgents: null,
    trust: 'observe',
    review: false,
    budgetMicroUsd: null,
    gates: [],
    allowRed: [],
    workspace: null,
    agents: {},
    defaultAgent: null,
    routing: null,
    plan: null,
    tasks: [],
    createdBy: `trigger:${match.rule}`,
  };
}

export const deliveries =
  (db: Db): Store['deliveries'] =>
  ({ limit }) =>
    retried(true, () =>
      db.prisma.triggerDelivery.findMany({
        omit: { event: true },
        orderBy: [{ receivedAt: 'desc' }, { id: 'desc' }],
        take: limit,
      }),
    );

export const triggeredTasks =
  (db: Db): Store['triggeredTasks'] =>
  ({ rules, since }) =>
    query(db, triggeredTasksStatement, [rules.map((rule) => `trigger:${rule}`), since]);
