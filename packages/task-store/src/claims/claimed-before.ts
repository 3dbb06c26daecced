import { createHash } from 'node:crypto';
import { queryOne, type Db } from '../db/query.ts';
import { listAttempts } from '../read/attempts.ts';
import { repoById } from '../read/attempts.sql.ts';
import { runOf } from '../read/runs.ts';
import { taskOf } from '../read/tasks.ts';
import { knownOfTask } from './claimed-before.sql.ts';
import type { Claim } from '../model/task.ts';

/** The session of a claim that has an id: the same for the same command, so that the database takes no second one. */
export function sessionOfCommand(commandId: string): string {
  const hex = createHash('sha256').update(`claim ${commandId}`).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

/** What the claim of this session took, while nothing has become of it yet; `claim: null` once it is another's or has begun. Null: there was none. */
export async function claimedBefore(db: Db, sessionId: string): Promise<{ claim: Claim | null } | null> {
  const [attempt] = await listAttempts(db)({ sessionId });
  if (attempt === undefined) return null;
  const task = await taskOf(db, attempt.taskId);
  const [run, repo, known] = await Promise.all([
    runOf(db, task.runId),
    queryOne(db, repoById, [task.repoId]),
    queryOne(db, knownOfTask, [task.id, attempt.number]),
  ]);
  const { fence, turnStatus, endedAt, leaseExpiresAt } = attempt;
  const isHeld = endedAt === null && fence === known?.fence && turnStatus === 'CLAIMING';
  if (!isHeld || leaseExpiresAt === null || repo === null) return { claim: null };
  const { rejections = [], salvageRef = null } = known.earlier ?? {};
  const predecessors = known.predecessors ?? [];
  const taken = { task, attempt, continueFrom: known.continueFrom, rejections, salvageRef, predecessors };
  return { claim: { sessionId, run, repo, tasks: [taken], leaseExpiresAt } };
}
