import { expect, it } from 'vitest';
import { openStore, type Store } from '../src/index.ts';
import { playScenarios } from './campaigns/scenarios.ts';
import { by, draft } from './support/builders.ts';
import { ownStore, type TestStore } from './support/store.ts';

const reads = /^(get|find|list|explain|history|exportLines|onWake|read|position|before|of|events)/;
type Member = (...args: unknown[]) => Promise<unknown>;

/** The store, of which each answer is held against what the log lacks at that moment. */
function watched(store: Store, { held, said, asked }: { held: TestStore; said: string[]; asked: string[] }) {
  const watch = (name: string, member: Member): Member => {
    if (reads.test(name.split('.')[1] ?? '')) return member;
    return async (...args) => {
      const answer = await member(...args);
      asked.push(name);
      const [row] = await held.sql('SELECT count(*)::int AS events FROM baton_unlogged');
      if (row?.['events'] !== 0) said.push(`${name}: ${String(row?.['events'])}`);
      return answer;
    };
  };
  const groups = Object.entries(store).map(([group, members]: [string, unknown]) => {
    if (typeof members !== 'object' || members === null) return [group, members] as const;
    const each = Object.entries(members as Record<string, Member>);
    return [
      group,
      Object.fromEntries(each.map(([name, member]) => [name, watch(`${group}.${name}`, member)])),
    ] as const;
  });
  return Object.fromEntries(groups) as unknown as Store;
}

it('answers only once the log has the events of the call, whatever is called', async () => {
  await using held = await ownStore();
  const store = await openStore({ url: held.url, random: () => 0, answerAfterLogged: true });
  const said: string[] = [];
  const asked: string[] = [];
  await playScenarios(watched(store, { held, said, asked }));
  expect(said).toEqual([]);
  expect(new Set(asked).size).toBeGreaterThan(15);
  const { unlogged, broken, events } = await store.audit.verify();
  expect({ unlogged, broken }).toEqual({ unlogged: { events: 0, oldestMs: null }, broken: [] });
  expect(events).toBeGreaterThan(500);
  await store.close();
}, 120_000);

it('waits for another process that is about to log, so that its answer is logged, too', async () => {
  await using held = await ownStore();
  const stores = await Promise.all(
    [1, 2, 3].map(() => openStore({ url: held.url, answerAfterLogged: true })),
  );
  const { runId } = await held.flow.open([]);
  const lacking: unknown[] = [];
  await Promise.all(
    [...stores, ...stores, ...stores].map(async (store, worker) => {
      const client = await held.connection();
      for (let round = 0; round < 8; round++) {
        const drafts = [draft(`w${worker}-${round}`)];
        const [task] = await store.tasks.add(runId, { ...by, drafts, planned: false });
        const { rows } = await client.query(
          `SELECT 1 FROM log_entry l JOIN lifecycle_event e ON e.id = ANY (l.ids) WHERE e.entity_id = $1`,
          [task?.id],
        );
        if (rows.length !== 1) lacking.push(task?.id);
      }
      await client.end();
    }),
  );
  expect(lacking).toEqual([]);
  await Promise.all(stores.map((store) => store.close()));
});
