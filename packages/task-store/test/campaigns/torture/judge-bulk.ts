import { readFileSync } from 'node:fs';
import { twiceLanded, type Case } from './judge.ts';
import { judgeRows, leftRows } from './judge-rows.ts';

/** Keys of all tasks of a life in bulk, and the names of its archive and of what it tells of its logs, in the folder of the life. */
export const bulkKeys = { first: ['one', 'two', 'three', 'four'], later: ['five', 'six'] } as const;
export const archiveName = 'archive';
export const logsName = 'logs';

/** What may never be, also right after a kill. */
export async function judgeBulkMoment(court: Case): Promise<string[]> {
  return [...(await judgeRows(court)), ...twiceLanded(court.world)];
}

/** What must be so once all is over, and put away. */
export async function judgeBulkEnd(court: Case): Promise<string[]> {
  const { store, sql, world } = court;
  const wrong = [...(await judgeBulkMoment(court)), ...(await leftRows(sql))];
  const tasks = (await store.tasks.list({ limit: 100 })).items;
  const found = tasks.map(({ key, status, tries }) => `${key} ${status} ${tries}`).sort();
  const wanted = [...bulkKeys.first, ...bulkKeys.later].map((key) => `${key} CLOSED 0`).sort();
  if (found.join() !== wanted.join()) wrong.push(`tasks are ${found.join(', ')}`);
  if (world.landed().length !== tasks.length)
    wrong.push(`${world.landed().length} landed of ${tasks.length} tasks`);
  const audit = await store.audit.verify({ archiveDir: world.fileOf(archiveName) });
  wrong.push(
    ...audit.broken.map(({ machine, entityId, what }) => `archive: ${machine} ${entityId}: ${what}`),
  );
  if (audit.archived === 0 || audit.archived !== audit.archiveChecked)
    wrong.push(`${audit.archived} events were archived, ${audit.archiveChecked} of them are in the archive`);
  const seen = new Set(world.consumed());
  const last = await store.feed.position();
  const all = audit.events + audit.archived;
  if (seen.size !== last || Math.max(0, ...seen) !== last)
    wrong.push(`feed: ${last} numbered, ${seen.size} read, ${all} events there and archived`);
  const [left] = await sql(
    `SELECT (SELECT count(*) FROM agent_event)::int AS streams, (SELECT count(*) FROM command)::int AS answers,
      (SELECT count(*) FROM cognitive_checkpoint)::int AS checkpoints`,
  );
  if (left === undefined || Object.values(left).some((count) => count !== 0))
    wrong.push(`not pruned: ${JSON.stringify(left)}`);
  return [...wrong, ...wrongLogs(court)];
}

/** What thought to its end had its whole log, in one of its attempts; what was kept twice stood there once. */
function wrongLogs({ world }: Case): string[] {
  const lengths = JSON.parse(readFileSync(world.fileOf(logsName), 'utf8')) as Record<string, number>;
  return [...bulkKeys.first, ...bulkKeys.later]
    .filter((key) => lengths[key] !== 3)
    .map((key) => `${key} has a log of ${lengths[key]} checkpoints, not of 3`);
}
