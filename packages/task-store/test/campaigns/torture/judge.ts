import { openCourt, type Court } from './court.ts';
import { judgeRows, leftRows, type Ask } from './judge-rows.ts';
import { capMicroUsd, costMicroUsd, fates } from './life-plan.ts';
import type { LifeWorld } from './life-world.ts';

/** What is judged: the store, and the world outside of it. */
export type Case = Court & { world: LifeWorld };

/** Opens what the judges look at, and closes it. */
export async function inCourt<T>(
  options: { url: string; world: LifeWorld },
  judge: (one: Case) => Promise<T>,
): Promise<T> {
  await using court = await openCourt(options.url);
  if (court === null) throw new Error('there is no store');
  return await judge({ ...court, world: options.world });
}

/** What may never be, also right after a kill. One sentence for each violation. */
export async function judgeMoment(court: Case): Promise<string[]> {
  return [...(await judgeRows(court)), ...twiceLanded(court.world)];
}

/** Whether a task landed twice on the played target. */
export function twiceLanded(world: LifeWorld): string[] {
  const ids = world.landed().map(({ taskId }) => taskId);
  return ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `task ${id} landed twice on the target`);
}

/** What must be so once all is over. */
export async function judgeEnd(court: Case): Promise<string[]> {
  return [
    ...(await judgeMoment(court)),
    ...(await wrongFates(court)),
    ...(await wrongTarget(court)),
    ...(await leftRows(court.sql)),
    ...(await wrongCounts(court.sql)),
    ...(await wrongFeed(court)),
  ];
}

async function wrongFates({ store }: Case): Promise<string[]> {
  const wrong: string[] = [];
  const run = await store.runs.find('life');
  const tasks = (await store.tasks.list({ runId: run.id, limit: 200 })).items;
  for (const { key, status, tries } of tasks) {
    const fate = fates[key];
    if (fate === undefined) wrong.push(`${key} came from nowhere`);
    else if (status !== fate.status && status !== fate.or)
      wrong.push(`${key} is ${status}, not ${fate.status}`);
    else if (tries !== fate.tries && fate.or === undefined)
      wrong.push(`${tries} tries of ${key} count, not ${fate.tries}`);
  }
  for (const key of Object.keys(fates))
    if (tasks.filter((task) => task.key === key).length !== 1) wrong.push(`there is not one ${key}`);
  const ends = { life: 'failed', doomed: 'cancelled', hopeless: 'failed' };
  for (const [slug, wanted] of Object.entries(ends)) {
    const { status, statusReason } = await store.runs.find(slug);
    if (status !== wanted) wrong.push(`the run ${slug} is ${status}, not ${wanted}: ${statusReason ?? ''}`);
  }
  return wrong;
}

async function wrongTarget({ store, world }: Case): Promise<string[]> {
  const wrong: string[] = [];
  const run = await store.runs.find('life');
  const closed = (await store.tasks.list({ status: ['CLOSED'], limit: 200 })).items;
  const landed = world.landed().map(({ taskId }) => taskId);
  const ids = closed.map(({ id }) => id).sort();
  if (ids.join() !== [...landed].sort().join())
    wrong.push(`${ids.length} tasks are CLOSED, ${landed.length} landed`);
  const hooked = closed.filter(({ runId }) => runId !== run.id).length;
  if (hooked !== 1) wrong.push(`one delivery made ${hooked} landed tasks`);
  const commits = new Set(world.landed().map(({ commit }) => commit));
  for (const { commit, taskId } of await store.tasks.landings({}))
    if (!commits.has(commit)) wrong.push(`the landing of ${taskId} is not on the target`);
  return wrong;
}

/** What must have had one effect, however often it was told. */
async function wrongCounts(sql: Ask): Promise<string[]> {
  const rows = await sql(`SELECT * FROM (VALUES
    ('usage entries of another cost', (SELECT count(*) FROM usage_entry WHERE cost_micro_usd <> ${costMicroUsd})),
    ('caps changed', (SELECT count(*) FROM budget WHERE cap_micro_usd <> ${capMicroUsd})),
    ('second grants of a retry', (SELECT greatest(0, count(*) - 1) FROM lifecycle_event
      WHERE machine = 'task' AND event = 'retry' AND actor = 'operator:tester')),
    ('second pauses', (SELECT greatest(0, count(*) - 1) FROM lifecycle_event WHERE machine = 'run' AND event = 'pause'))
  ) AS wrong (what, count) WHERE count > 0`);
  return rows.map(({ what, count }) => `${String(count)} ${String(what)}`);
}

async function wrongFeed({ sql, world }: Case): Promise<string[]> {
  const [counts] =
    await sql(`SELECT (SELECT count(*) FROM lifecycle_event)::int AS events, (SELECT coalesce(sum(baton_sum(sizes)), 0) FROM log_entry)::int AS numbered,
    (SELECT coalesce(max(next), 1) - 1 FROM log_entry)::int AS last`);
  const seen = new Set(world.consumed());
  const { events, numbered, last } = counts as { events: number; numbered: number; last: number };
  const isWhole =
    events === numbered && numbered === last && seen.size === last && Math.max(0, ...seen) === last;
  return isWhole ? [] : [`feed: ${events} events, ${numbered} numbered up to ${last}, ${seen.size} read`];
}
