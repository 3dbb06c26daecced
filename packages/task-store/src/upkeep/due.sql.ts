import { z } from 'zod';
import type { Statement } from '../db/statement.ts';
import { idRow } from '../db/rows.ts';

/** Tasks blocked until a time that has come, or on a task that is closed. */
export const blockedDue = {
  name: 'blocked-due',
  text: `SELECT b.id FROM task b WHERE b.stage = 'BLOCKED' AND (b.not_before <= now() OR EXISTS (
      SELECT 1 FROM task c WHERE c.run_id = b.run_id AND c.stage = 'CLOSED' AND b.blocked_on->>'task' IN (c.id::text, c.key))) LIMIT 500`,
  row: idRow,
  readonly: true,
} satisfies Statement;

/** Sessions all of whose unfinished attempts have lapsed leases. */
export const lapsedSessions = {
  name: 'lapsed-sessions',
  text: `SELECT a.session_id AS id FROM attempt a JOIN task t ON t.id = a.task_id
    WHERE a.ended_at IS NULL AND a.worker_id IS NOT NULL AND a.session_id IS NOT NULL AND t.status IN ('CLAIMED', 'IN_PROGRESS')
    GROUP BY a.session_id HAVING max(a.lease_expires_at) < clock_timestamp() LIMIT 500`,
  row: idRow,
  readonly: true,
} satisfies Statement;

/**
 * $1: ms; sessions that hold nothing any more and whose worker has ended or been silent for that long, or that have themselves
 * been silent for five times as long: the worker that should have ended them did not.
 */
export const silentSessions = {
  name: 'silent-sessions',
  text: `SELECT s.id FROM agent_session s LEFT JOIN worker w ON w.id = s.worker_id
    WHERE s.ended_at IS NULL AND NOT EXISTS (SELECT 1 FROM attempt a JOIN task t ON t.id = a.task_id
        WHERE a.session_id = s.id AND a.ended_at IS NULL AND t.status IN ('CLAIMED', 'IN_PROGRESS'))
      AND (w.status = 'offline'
        OR greatest(s.created_at, s.last_sign_at, w.heartbeat_at) < now() - $1::int * interval '1 millisecond'
        OR s.status <> 'idle' AND greatest(s.created_at, s.last_sign_at) < now() - $1::int * interval '5 milliseconds') LIMIT 500`,
  row: idRow,
  readonly: true,
} satisfies Statement;

/** Tasks to be cancelled that no agent works on. */
export const cancelsDue = {
  name: 'cancels-due',
  text: `SELECT id FROM task WHERE cancel_requested AND NOT settled AND stage <> 'CLAIMED' LIMIT 1000`,
  row: idRow,
  readonly: true,
} satisfies Statement;

/** Parents that wait although nothing below them moves any more. */
export const parentsDue = {
  name: 'parents-due',
  text: `SELECT p.id FROM task p WHERE p.stage = 'WAITING_FOR_SUBTASKS' AND (
      NOT EXISTS (SELECT 1 FROM task c WHERE c.parent_id = p.id AND c.status <> 'CLOSED')
      OR EXISTS (SELECT 1 FROM task c WHERE c.parent_id = p.id AND c.settled AND c.status <> 'CLOSED')) LIMIT 500`,
  row: idRow,
  readonly: true,
} satisfies Statement;

/** Ready tasks whose paths a batch owns: from now on they count as wanted. Those that a claim looks at first; others when they are next. */
export const markWantedPaths = {
  name: 'mark-wanted-paths',
  text: `UPDATE task t SET paths_wanted_since = now() WHERE t.id IN (SELECT w.id FROM (SELECT id, run_id, files, rank FROM task
          WHERE ready AND files <> '{}' AND paths_wanted_since IS NULL ORDER BY rank, id LIMIT 500) w
      WHERE EXISTS (SELECT 1 FROM unnest(baton_path_ranges(w.run_id, w.files)) r JOIN path_lock p ON p.range && r)
      ORDER BY w.rank, w.id LIMIT 20)`,
  row: z.unknown(),
  readonly: false,
} satisfies Statement;

/** Reservations of attempts that a lost holder left, once their process must have ended. */
export const freeLostReservations = {
  name: 'free-lost-reservations',
  text: `SELECT baton_free_reservations(array_agg(a.id)) FROM (
      SELECT attempt_id AS id FROM reservation UNION SELECT id FROM attempt WHERE meter IN ('open', 'unknown')) r
    JOIN attempt a ON a.id = r.id LEFT JOIN agent_session s ON s.id = a.session_id WHERE a.ended_at IS NOT NULL AND coalesce(s.deadline_at, a.ended_at) < now()`,
  row: z.unknown(),
  readonly: false,
} satisfies Statement;

/** Runs that look for money while nothing of theirs is at work: only the sweep would find out that they only wait. */
export const runsShortOfMoney = {
  name: 'runs-short-of-money',
  text: `SELECT r.id FROM budget b JOIN run r ON r.id = b.run_id WHERE (b.starved OR b.held) AND r.status = 'running' AND NOT EXISTS (
      SELECT 1 FROM task t WHERE t.run_id = r.id AND t.stage IN ('CLAIMED', 'ORPHANED', 'DONE')) LIMIT 500`,
  row: idRow,
  readonly: true,
} satisfies Statement;

/**
 * Runs whose status is not what their tasks say, since the process that moved the last of them was killed before it settled the run,
 * or none had to: all is settled and the run is running, or it has ended, waits or is stuck and there is work, or only PLANNED is left.
 */
export const runsToSettle = {
  name: 'runs-to-settle',
  text: `SELECT r.id FROM run r WHERE CASE
      WHEN r.status = 'done' THEN r.finished_at > now() - interval '1 day' AND EXISTS (SELECT 1 FROM task t WHERE t.run_id = r.id AND t.stage IN (
        'PLANNED', 'OPEN', 'CLAIMED', 'WAITING_FOR_SUBTASKS', 'BLOCKED', 'PENDING_APPROVAL', 'ORPHANED', 'DONE'))
      WHEN r.status IN ('running', 'waiting', 'stuck') THEN NOT r.standing AND EXISTS (SELECT 1 FROM task t WHERE t.run_id = r.id) AND NOT EXISTS (
        SELECT 1 FROM task t WHERE t.run_id = r.id AND (t.stage IN ('PLANNED', 'OPEN', 'CLAIMED', 'WAITING_FOR_SUBTASKS', 'BLOCKED',
          'PENDING_APPROVAL', 'ORPHANED', 'DONE') OR t.stage = 'FAILED' AND NOT t.settled))
        OR r.status <> 'running' AND EXISTS (SELECT 1 FROM task t WHERE t.run_id = r.id AND t.stage IN ('CLAIMED', 'ORPHANED', 'DONE'))
        OR r.status = 'running' AND NOT r.standing AND EXISTS (SELECT 1 FROM task t WHERE t.run_id = r.id AND t.stage = 'PLANNED') AND NOT EXISTS (
          SELECT 1 FROM task t WHERE t.run_id = r.id AND t.stage <> 'PLANNED' AND NOT t.settled)
      ELSE false END LIMIT 500`,
  row: idRow,
  readonly: true,
} satisfies Statement;
