import { expect, it } from 'vitest';
import { by, draft, request } from './support/builders.ts';
import { holding } from './support/flow.ts';
import { testStore } from './support/store.ts';
import { claimTogether } from './support/together.ts';

const held = testStore();
let places = 0;
const place = () => ({ repo: { location: `/paths-${++places}`, host: 'here' } });
const owns = (key: string, files: string[], given: { priority?: number } = {}) =>
  draft(key, { files, scope: 'large', ...given });

/** The key that each way of asking gets; what it got is given back. */
async function asked(runId: string): Promise<(string | undefined)[]> {
  const keys: (string | undefined)[] = [];
  for (const ask of [
    () => held.store.claims.claimBatch(request({ runId })),
    () => held.store.claims.claimBatch(request({ runId, maxTasks: 2 })),
    async () => (await claimTogether(held.store, request({ runId }), 2))[0],
  ]) {
    const claim = await ask();
    keys.push(claim?.tasks[0]?.task.key);
    if (claim) await held.flow.tell({ fact: 'released', holding: holding(claim), reason: 'asked only' });
  }
  return [...new Set(keys)];
}

it.each([
  ['a folder with a slash and a file below it', ['src/'], ['src/a.ts'], false],
  ['a file and its folder with a slash', ['src/deep/a.ts'], ['src/'], false],
  ['a folder with and without a slash', ['src'], ['src/'], false],
  ['a path with ./ and the same without', ['./src'], ['src/a.ts'], false],
  ['the whole repository and a file', ['.'], ['deep/a.ts'], false],
  ['a file and the whole repository', ['deep/a.ts'], ['./'], false],
  ['the very same file', ['src/a.ts'], ['src/a.ts'], false],
  ['the second of each list', ['docs', 'src/b.ts'], ['test/x.ts', 'src'], false],
  ['a folder and its neighbour with the same beginning', ['src/'], ['src2/a.ts', 'src-old', 'src.ts'], true],
  ['a file and one with the same beginning', ['src/a'], ['src/a.ts', 'src/ab'], true],
])('%s: whether two tasks may own them at once', async (_, owned, wanted, free) => {
  const at = place();
  const { runId, tasks } = await held.flow.open([owns('owner', owned), owns('other', wanted)], at);
  await held.flow.claim(runId);
  expect(await asked(runId)).toEqual([free ? 'other' : undefined]);
  if (!free) expect(await held.store.tasks.explain(tasks[1]?.id ?? '')).toMatchObject({ cause: 'path_lock' });
  for (const other of [place(), { ...at, target: 'another' }]) {
    const elsewhere = await held.flow.open([owns('elsewhere', owned)], other);
    expect(await asked(elsewhere.runId)).toEqual(['elsewhere']);
    await held.store.runs.cancel(elsewhere.runId, by);
  }
});

it('keeps paths free for who has waited ten minutes for them, but not from who comes first or works elsewhere', async () => {
  const at = place();
  const { runId, tasks } = await held.flow.open([owns('owner', ['src/a'], { priority: 0 })], at);
  const owner = await held.flow.claim(runId);
  const waits = await held.flow.open([owns('wanter', ['src'], { priority: 1 }), owns('apart', ['docs'])], at);
  const later = await held.flow.open([owns('later', ['src/b'], { priority: 3 })], at);
  const earlier = await held.flow.open([owns('earlier', ['src/c'], { priority: 0 })], at);
  const otherRepo = await held.flow.open([owns('other-repository', ['src/b'], { priority: 4 })], place());
  const otherTarget = await held.flow.open([owns('other-target', ['src/b'], { priority: 4 })], {
    ...at,
    target: 'another',
  });
  const since = async (key: string) =>
    (
      await held.sql('SELECT paths_wanted_since AS at FROM task WHERE run_id = $1 AND key = $2', [
        waits.runId,
        key,
      ])
    )[0]?.['at'];
  await held.store.claims.sweep({ actor: 'sweeper' });
  const marked = await since('wanter');
  expect(marked).toBeInstanceOf(Date);
  expect(await since('apart')).toBeNull();
  const waited = (minutes: number) =>
    held.sql(
      `UPDATE task SET paths_wanted_since = now() - $1 * interval '1 minute' WHERE paths_wanted_since IS NOT NULL`,
      [minutes],
    );
  await waited(9);
  const kept = await since('wanter');
  await held.store.claims.sweep({ actor: 'sweeper' });
  expect(await since('wanter')).toEqual(kept);
  expect(await asked(later.runId)).toEqual(['later']);
  await waited(11);
  expect(await asked(later.runId)).toEqual([undefined]);
  expect(await held.store.tasks.explain(later.tasks[0]?.id ?? '')).toMatchObject({ cause: 'path_lock' });
  expect(await asked(earlier.runId)).toEqual(['earlier']);
  expect(await asked(otherRepo.runId)).toEqual(['other-repository']);
  expect(await asked(otherTarget.runId)).toEqual(['other-target']);
  await held.store.runs.pause(waits.runId, by);
  expect(await asked(later.runId)).toEqual(['later']);
  await held.store.runs.resume(waits.runId, by);
  expect(await asked(later.runId)).toEqual([undefined]);
  await held.flow.tell({ fact: 'released', holding: holding(owner), reason: 'done with it' });
  await held.store.tasks.cancel(tasks[0]?.id ?? '', by);
  expect((await held.flow.claim(waits.runId)).tasks[0]?.task.key).toBe('wanter');
  expect(await since('wanter')).toBeNull();
});

it('counts what waits for another task not as waiting for paths', async () => {
  const at = place();
  const owner = await held.flow.open([owns('owner', ['src/a'])], at);
  await held.flow.claim(owner.runId);
  const { runId } = await held.flow.open(
    [
      draft('first', { scope: 'large' }),
      draft('second', { files: ['src'], dependsOn: ['first'], scope: 'large' }),
    ],
    at,
  );
  const later = await held.flow.open([owns('later', ['src/b'])], at);
  await held.store.claims.sweep({ actor: 'sweeper' });
  await held.sql(
    `UPDATE task SET paths_wanted_since = now() - interval '1 hour' WHERE run_id = $1 AND key = 'second'`,
    [runId],
  );
  expect(await asked(later.runId)).toEqual(['later']);
});
