import { twiceLanded, type Case } from './judge.ts';
import { judgeRows, leftRows } from './judge-rows.ts';

/** Keys of all tasks of a life in bulk, and the name of its archive in the folder of the life. */
export const bulkKeys = { first: ['one', 'two', 'three', 'four'], later: ['five', 'six'] } as const;
export const archiveName = 'archive';

/** What may never be, also right after a kill. */
export async function judgeBulkMoment(court: Case): Promise<string[]> {
  return [...(await judgeRows(court)), ...twiceLanded(court.world)];
}

/** What must be so once all is over, and put away. */
export async function judgeBulkEnd(court: Case): Promise<string[]> {
  const { store, sql, world } = court;
  const wrong = [...(await judgeBulkMoment(court)), ...(await leftRows(sql))];
  const tasks = (await store.listTasks({ limit: 100 })).items;
  const found = tasks.map(({ key, status, tries }) => `${key} ${status} ${tries}`).sort();
  const wanted = [...bulkKeys.first, ...bulkKeys.later].map((key) => `${key} CLOSED 0`).sort();
  if (found.join() !== wanted.join()) wrong.push(`tasks are ${found.join(', ')}`);
  if (world.landed().length !== tasks.length)
    wrong.push(`${world.landed().length} landed of ${tasks.length} tasks`);
  const audit = await store.verifyAudit({ archiveDir: world.fileOf(archiveName) });
  wrong.push(
    ...audit.broken.map(({ machine, entityId, what }) => `archive: ${machine} ${entityId}: ${what}`),
  );
  if (audit.archived === 0 || audit.archived !== audit.archiveChecked)
    wrong.push(`${audit.archived} events were archived, ${audit.archiveChecked} of them are in the archive`);
  const seen = new Set(world.consumed());
  const last = await store.feedPosition();
  const all = audit.events + audit.archived;
  if (seen.size !== last || Math.max(0, ...seen) !== last)
    wrong.push(`feed: ${last} numbered, ${seen.size} read, ${all} events there and archived`);
  const [left] = await sql(
    'SELECT (SELECT count(*) FROM agent_event)::int AS streams, (SELECT count(*) FROM command)::int AS answers',
  );
  if (left?.['streams'] !== 0 || left['answers'] !== 0) wrong.push(`not pruned: ${JSON.stringify(left)}`);
  return [...wrong, ...(await wrongLogs(court))];
}

/** What thought to its end has its whole log, in one of its attempts; what was kept twice stands there once. */
async function wrongLogs({ store }: Case): Promise<string[]> {
  const wrong: string[] = [];
  for (const { id, key } of (await store.listTasks({ limit: 100 })).items) {
    const logs = await Promise.all((await store.attempts(id)).map((each) => store.checkpoints(each.id)));
    const lengths = logs.map(({ length }) => length);
    if (Math.max(0, ...lengths) !== 3)
      wrong.push(`${key} has logs of ${lengths.join(', ')} checkpoints, not of 3`);
  }
  return wrong;
}
