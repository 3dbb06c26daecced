import { until } from '@baton/testkit';
import { expect, it } from 'vitest';
import { createRig } from '../helpers/rig.ts';

const plan = (name: string, target: string) => ({
  ...{ name, target },
  stages: [{ name: 's', steps: [{ key: name, title: name, agent: { command: ['tee', name] } }] }],
});

it(
  'lands on one branch as ever while landing on another fails, and logs each cause of that once',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig();
    await rig.repo.git('branch', 'held');
    const told: string[] = [];
    const tell = (text: string, more?: Record<string, unknown>) =>
      void told.push(`${text} ${String(more?.['cause'])}`);
    let cause: string | null = 'no way in';
    let rounds = 0;
    const store: typeof rig.store = {
      ...rig.store,
      lanes: {
        ...rig.store.lanes,
        openIntents(lane) {
          if (lane.target !== 'held' || cause === null) return rig.store.lanes.openIntents(lane);
          rounds += 1;
          return Promise.reject(new Error(cause));
        },
      },
    };
    const held = await rig.submit(plan('one', 'held'));
    await rig.worker({ store, log: { info: tell, warn: tell, error: tell } });
    const more = async (count: number) => {
      const from = rounds;
      await until(() => rounds >= from + count, { what: 'landing was tried again', timeoutMs: 60_000 });
    };
    await more(1);
    for (const name of ['two', 'three']) await rig.settled((await rig.submit(plan(name, 'main'))).run.id);
    await more(1);
    cause = 'still none';
    // The second of the next two begins when the first one was told.
    await more(2);
    const failures = told.filter((line) => line.startsWith('landing'));
    expect(failures).toEqual(
      ['no way in', 'still none'].map(
        (why) => `landing on a branch failed; it will be tried again Error: ${why}`,
      ),
    );
    cause = null;
    await rig.settled(held.run.id);
  },
);
