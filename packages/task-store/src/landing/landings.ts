import { BatonError } from '@baton/contracts';
import type { Store } from '../api/store.ts';
import { apply } from '../apply/apply.ts';
import { orNotFound, query, queryOne, type Db } from '../db/query.ts';
import { codeOf } from '../db/pg-error.ts';
import { followUp } from '../apply/follow-up.ts';
import { landingChange } from '../decide/landing-changes.ts';
import { writeNote } from '../apply/write-note.sql.ts';
import { situationOfTasks } from '../apply/load-situation.sql.ts';
import * as sql from './landings.sql.ts';
import { jsonText } from '../db/json-text.ts';

const decideTries = 12;

/** The newest yes on this tree by these checks. A "no" is never answered: what it was about may lie outside of the tree. */
export const findVerdict =
  (db: Db): Store['lanes']['findVerdict'] =>
  ({ tree, checksHash }) =>
    queryOne(db, sql.passedVerdict, [tree, checksHash]);

export const verdicts =
  (db: Db): Store['tasks']['verdicts'] =>
  (taskId) =>
    query(db, sql.verdictsOfTask, [taskId]);

/** @throws LEASE_LOST when the attempt has another holder now */
export const saveVerdict =
  (db: Db): Store['lanes']['saveVerdict'] =>
  async ({ holding, checksHash, verdict }) => {
    const values = [
      db.ids.uuid(),
      verdict.tree,
      checksHash,
      jsonText(verdict),
      holding.attemptId,
      holding.fence,
    ];
    const row = await queryOne(db, sql.saveVerdictStatement, values);
    if (row !== null) return row.id;
    throw new BatonError(
      'LEASE_LOST',
      `Attempt ${holding.attemptId} has another holder now; the verdict was not kept.`,
      { fix: 'Stop working on it.' },
    );
  };

/** Another holder's intents were written at the same moment. */
const uniqueViolation = '23505';

export const writeIntents =
  (db: Db): Store['lanes']['writeIntents'] =>
  async ({ lane, members, fromCommit, tree, holder }) => {
    const ids = members.map(() => db.ids.uuid());
    const values = [
      ...[lane.id, lane.epoch, fromCommit, tree, jsonText(holder), ids],
      ...[members.map(({ holding }) => holding.attemptId), members.map(({ holding }) => holding.fence)],
      ...[members.map(({ verdictId }) => verdictId), members.map(({ candidateCommit }) => candidateCommit)],
    ];
    try {
      const written = await query(db, sql.writeIntentsStatement, values);
      return written.length === 0 ? null : ids;
    } catch (error) {
      if (codeOf(error) === uniqueViolation) return null;
      throw error;
    }
  };

export const openIntents =
  (db: Db): Store['lanes']['openIntents'] =>
  (lane) =>
    query(db, sql.openIntentsOfLane, [lane.id]);

/** "landed": confirms the intent, closes the task and releases its dependents, in one statement. Repeating it changes nothing. */
export const confirmLanding =
  (db: Db): Store['lanes']['confirm'] =>
  async (landingId, by) => {
    for (let attempt = 0; attempt < decideTries; attempt++) {
      const landing = orNotFound(await queryOne(db, sql.landingById, [landingId]), `landing ${landingId}`);
      if (landing.confirmedAt !== null) return { taskId: landing.taskId, released: 0 };
      const [row] = await query(db, situationOfTasks, [[landing.taskId]]);
      if (landing.abandonedAt !== null || row === undefined) break;
      // Confirmed by another at this moment: the next look shows it.
      if (row.attempt === null) continue;
      const item = { task: row.task, attempt: row.attempt };
      const change = landingChange(item, { now: row.now, landingId, actor: by.actor });
      if (change === null) continue;
      const applied = await apply(db, change);
      if (!applied.ok) continue;
      const parents = row.task.parentId === null ? [] : [row.task.parentId];
      await followUp(db, { change, cascade: applied.cascade, parents, actor: by.actor });
      return { taskId: landing.taskId, released: applied.released };
    }
    throw new BatonError('CONFLICT', `Landing ${landingId} is not open any more.`, {
      fix: 'Read the open intents of the lane again.',
    });
  };

export const abandonIntent =
  (db: Db): Store['lanes']['abandon'] =>
  async (landingId, reason) => {
    await query(db, sql.abandonIntentStatement, [landingId, reason]);
  };

/** A note in the history of a task whose verification came to nothing. */
export const noteUnlanded =
  (db: Db): Store['lanes']['noteUnlanded'] =>
  async (taskId, { actor, reason }) => {
    await query(db, writeNote, [
      taskId,
      jsonText({ event: 'landing', kind: 'refused', actor, reason, metadata: {} }),
    ]);
    db.wake('events');
  };

export const landings =
  (db: Db): Store['tasks']['landings'] =>
  ({ runId, taskId, newest }) =>
    query(db, newest ? sql.newestLanding : sql.confirmedLandings, [runId ?? null, taskId ?? null]);
