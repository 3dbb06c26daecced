import { BatonError, microUsd, parseInput, review } from '@baton/contracts';
import type { Store } from '../api/store.ts';
import { orNotFound, query, queryOne, type Db } from '../db/query.ts';
import * as sql from './streams.sql.ts';
import { jsonText } from '../db/json-text.ts';

const defaultEvents = 1000;

export const appendAgentEvents =
  (db: Db): Store['streams']['append'] =>
  async (items, { again = false } = {}) => {
    if (items.length === 0) return;
    const columns = [
      items.map((item) => item.sessionId),
      items.map((item) => item.attemptId),
      items.map((item) => jsonText(item.event)),
      items.map((item) => item.at),
    ];
    await query(db, again ? sql.appendMissingEventsStatement : sql.appendAgentEventsStatement, columns);
  };

export const agentEvents =
  (db: Db): Store['streams']['events'] =>
  ({ sessionId, attemptId, taskId, after, limit }) =>
    query(db, sql.selectAgentEvents, [
      sessionId ?? null,
      attemptId ?? null,
      taskId ?? null,
      after ?? '0',
      limit ?? defaultEvents,
    ]);

/** Booked once per (attempt, offset), from any reporter, in any order; never fenced. @throws NOT_FOUND, INVALID_INPUT */
export const recordUsage =
  (db: Db): Store['streams']['recordUsage'] =>
  async ({ attemptId, reviewer = null, offset, usage, costMicroUsd }) => {
    if (!microUsd.safeParse(costMicroUsd).success || !Number.isSafeInteger(offset) || offset < 0)
      throw new BatonError(
        'INVALID_INPUT',
        `Usage cannot be booked at ${costMicroUsd} micro-dollars, place ${offset}.`,
        {
          at: 'costMicroUsd',
          fix: 'Give whole micro-dollars from 0 on, and the place in the stream from 0 on.',
        },
      );
    const row = await queryOne(db, sql.bookUsage, [
      attemptId,
      offset,
      jsonText({ ...usage, reviewer }),
      costMicroUsd,
    ]);
    return orNotFound(row?.booked, `attempt ${attemptId}`);
  };

export const openMeter =
  (db: Db): Store['streams']['openMeter'] =>
  async (attemptId, { reviewer = null } = {}) =>
    (await queryOne(db, sql.openMeterStatement, [attemptId, reviewer])) !== null;

export const closeMeter =
  (db: Db): Store['streams']['closeMeter'] =>
  async (attemptId, { meter, reason = null }) =>
    void (await query(db, sql.closeMeterStatement, [attemptId, meter, reason]));

export const shares =
  (db: Db): Store['streams']['shares'] =>
  (attemptIds) =>
    query(db, sql.selectShares, [attemptIds]);

export const unmeasuredAgents =
  (db: Db): Store['streams']['unmeasuredAgents'] =>
  async (runId) =>
    (await query(db, sql.selectUnmeasuredAgents, [runId])).map(({ agent }) => agent);

export const usageEntries =
  (db: Db): Store['streams']['usageEntries'] =>
  ({ runId }) =>
    query(db, sql.selectUsage, [runId]);

export const touchSession =
  (db: Db): Store['streams']['touchSession'] =>
  async (sessionId, { activity, model, lastSignAt }) => {
    await query(db, sql.touchSessionStatement, [
      sessionId,
      lastSignAt ?? null,
      activity !== undefined,
      activity ?? null,
      model ?? null,
    ]);
  };

/** @throws LEASE_LOST when the attempt has another holder now */
export const setSalvage =
  (db: Db): Store['streams']['setSalvage'] =>
  async (holding, ref) => {
    const row = await queryOne(db, sql.setSalvageStatement, [holding.attemptId, holding.fence, ref]);
    if (row === null)
      throw new BatonError('LEASE_LOST', `Attempt ${holding.attemptId} has another holder now.`, {
        fix: 'Keep the ref; the new holder names its own.',
      });
  };

/** @throws LEASE_LOST when the attempt has another holder now, or is at work no more; INVALID_INPUT for what is no review */
export const setReview =
  (db: Db): Store['streams']['setReview'] =>
  async (holding, given) => {
    const said = parseInput(review, given, { code: 'INVALID_INPUT', what: 'review' });
    const row = await queryOne(db, sql.setReviewStatement, [
      holding.attemptId,
      holding.fence,
      jsonText(said),
    ]);
    if (row === null)
      throw new BatonError(
        'LEASE_LOST',
        `Attempt ${holding.attemptId} has another holder now, or is finished.`,
        {
          fix: 'What was said is about work that somebody else decides on.',
        },
      );
  };
