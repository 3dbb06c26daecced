import { BatonError } from '@baton/contracts';
import type { Store } from '../api/store.ts';
import type { ClaimRequest } from '../model/requests.ts';
import { assembleBatch } from '../decide/assemble-batch.ts';
import { batchSize } from '../decide/batch-size.ts';
import { inTransaction, queryOne, type Db, type RunStatement } from '../db/query.ts';
import { codeOf, fromPgError, isContention } from '../db/pg-error.ts';
import { claimedBefore, sessionOfCommand } from './claimed-before.ts';
import { claimOf } from './to-claim.ts';
import { claimHead, claimRoom, claimStatement, type FoundHead, type Taken } from './claim.sql.ts';
import { wakeDue } from './wake-due.sql.ts';
import { jsonText } from '../db/json-text.ts';
import { completeClaim } from '../model/new-claim.ts';
import type { Claim } from '../model/task.ts';

const mostTasks = 3;
const mostMates = 50;
/** Heads that one claim passes over (paths, slots, budget) before it gives up until the next poll. */
const mostHeads = 25;

interface Search {
  workerId: string;
  leaseMs: number;
  maxTasks: number;
  slots?: number | undefined;
  runId?: string | undefined;
  taskId?: string;
  /** That the claim makes; absent: a new one. */
  sessionId?: string;
  skipTasks?: readonly string[];
  skipRuns?: readonly string[];
  capabilities: ClaimRequest['capabilities'];
}

/** One try to claim: what is asked for, and what was in the way before. */
interface Try {
  search: Search;
  skip: { tasks: string[]; runs: string[] };
  sessionId: string;
  attemptIds: string[];
}

/** What came of a try, or what prevented it. */
type Outcome = Taken | { ok: false; why: 'none' | 'slot' | 'budget' | 'path'; head?: Head | undefined };
interface Head {
  id: string;
  run_id: string;
}

/** Takes the next ready tasks for one agent. @throws INVALID_INPUT for more than 3 */
export const claimBatch =
  (db: Db): Store['claims']['claimBatch'] =>
  async (asked) => {
    const request = completeClaim(asked);
    if (!Number.isInteger(request.maxTasks) || request.maxTasks < 1 || request.maxTasks > mostTasks) {
      throw new BatonError(
        'INVALID_INPUT',
        `A batch holds 1 to ${mostTasks} tasks, not ${request.maxTasks}.`,
        { fix: 'Ask for at most 3: above that agents get measurably worse.' },
      );
    }
    // With others of its kind when there are some at this moment; what that does not serve looks for itself.
    const { skipTasks = [], skipRuns = [] } = request;
    const isPlain = request.maxTasks === 1 && skipTasks.length === 0 && skipRuns.length === 0;
    const taken = isPlain ? await db.claimReady(request) : null;
    return taken ?? claim(db, request);
  };

/** Takes this very task, if it is ready; a repeated command gives what it took while that is still its own. */
export const claimTask =
  (db: Db): Store['claims']['claimTask'] =>
  async (taskId, { commandId, ...request }) => {
    const search = { ...completeClaim(request), taskId, maxTasks: 1 };
    if (commandId === undefined) return claim(db, search);
    const sessionId = sessionOfCommand(commandId);
    const before = await claimedBefore(db, sessionId);
    if (before !== null) return before.claim;
    // A repeat that overtook the first sending finds what that one took.
    return (await claim(db, { ...search, sessionId })) ?? (await claimedBefore(db, sessionId))?.claim ?? null;
  };

/** Looks for a batch by itself: what is in the way of one head is passed over for the next. */
export async function claim(db: Db, search: Search): Promise<Claim | null> {
  const skip = { tasks: [...(search.skipTasks ?? [])], runs: [...(search.skipRuns ?? [])] };
  let woken = false;
  for (let head = 0; head < mostHeads; head++) {
    const attemptIds = Array.from({ length: search.maxTasks }, () => db.ids.uuid());
    const attempt = { search, skip, sessionId: search.sessionId ?? db.ids.uuid(), attemptIds };
    const outcome = await (search.maxTasks === 1 ? claimOne(db, attempt) : claimSeveral(db, attempt));
    if (outcome.ok) {
      db.wake('events');
      return claimOf(db, { taken: outcome, attempt });
    }
    if (outcome.why === 'none') {
      // What has become due since the last upkeep is ready now.
      if (woken || (await queryOne(db, wakeDue, []))?.woken === 0) return null;
      woken = true;
      continue;
    }
    // Somebody took the same paths at this moment: the next look sees it.
    if (outcome.head === undefined) continue;
    if (outcome.why === 'slot') skip.runs.push(outcome.head.run_id);
    else skip.tasks.push(outcome.head.id);
  }
  return null;
}

function claimValues(
  db: Db,
  { search, skip, sessionId, attemptIds }: Try,
  chosen: string[] | null,
): unknown[] {
  const { capabilities } = search;
  return [
    ...[search.workerId, capabilities.host, capabilities.labels, capabilities.roles ?? null],
    ...[search.runId ?? null, search.taskId ?? null, search.leaseMs, sessionId, attemptIds],
    ...[skip.tasks, skip.runs, chosen, db.runs.known()],
  ];
}

async function claimOne(db: Db, attempt: Try): Promise<Outcome> {
  try {
    const row = await queryOne(db, claimStatement, claimValues(db, attempt, null));
    return row?.answer ?? { ok: false, why: 'none' };
  } catch (error) {
    if (codeOf(error) !== '23P01') throw error;
    return { ok: false, why: 'path' };
  }
}

async function claimSeveral(db: Db, attempt: Try): Promise<Outcome> {
  let limit = attempt.search.maxTasks;
  for (let again = 0; ; again++) {
    let head: Head | undefined;
    try {
      return await inTransaction(
        db,
        async (run) => {
          const [found] = await run(claimHead, [headRequest(attempt), mostMates]);
          if (found === undefined) return { ok: false, why: 'none' } as const;
          head = { id: found.id, run_id: found.run_id };
          const most = found.alone || found.mates.length === 0 ? 1 : Math.min(limit, found.batch_size);
          const size = most === 1 ? 1 : await sizeOf(run, { search: attempt.search, found, most });
          const chosen = assembleBatch({ ...found, waitsFor: [] }, matesOf(attempt.search, found), size);
          const [row] = await run(claimStatement, claimValues(db, attempt, chosen));
          // What a miss wrote stays: it takes from the queue what has no room.
          return row?.answer ?? { ok: false, why: 'none' };
        },
        { endIdle: true },
      );
    } catch (error) {
      if (isContention(error) && again < 10) continue;
      const why = obstacle(error);
      if (why === null) throw fromPgError(error);
      // A mate's paths or money prevented it: the head alone may still go.
      if (limit > 1) {
        limit = 1;
        continue;
      }
      return { ok: false, why, head };
    }
  }
}

/** How many tasks the agent takes that begins with this head. */
async function sizeOf(
  run: RunStatement,
  { search, found, most }: { search: Search; found: FoundHead; most: number },
): Promise<number> {
  const { sharing } = found;
  if (search.slots === undefined || sharing !== 'crowded')
    return batchSize({ sharing, limit: most, ready: 1, slots: null });
  const { host, labels, roles } = search.capabilities;
  const [room] = await run(claimRoom, [
    ...[search.workerId, host, labels, roles ?? null, search.runId ?? null],
    ...[found.run_id, search.slots * most + mostMates],
  ]);
  const free = search.slots + (room?.elsewhere ?? 0);
  const slots = Math.min(free, room?.allowed ?? free);
  return batchSize({ sharing, limit: most, ready: room?.ready ?? 1, slots });
}

/** What waits for others of its batch would keep an agent idle until those have landed, while ready tasks wait for one. */
function matesOf(search: Search, { sharing, mates }: FoundHead): FoundHead['mates'] {
  const isCrowded = search.slots !== undefined && sharing === 'crowded';
  return isCrowded ? mates.filter(({ waitsFor }) => waitsFor.length === 0) : mates;
}

/** What made a whole batch impossible, so that it was rolled back. */
function obstacle(error: unknown): 'budget' | 'path' | null {
  if (codeOf(error) === '23P01') return 'path';
  return codeOf(error) === 'BA014' ? 'budget' : null;
}

/** The request of the head's look-up, which reads before anything is taken. */
function headRequest({ search, skip }: Try): string {
  const { capabilities } = search;
  return jsonText({
    host: capabilities.host,
    labels: capabilities.labels,
    roles: capabilities.roles ?? null,
    run: search.runId ?? null,
    task: search.taskId ?? null,
    skip_tasks: skip.tasks,
    skip_runs: skip.runs,
  });
}
