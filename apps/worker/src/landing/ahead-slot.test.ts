import type { LandingWork } from '@baton/task-store';
import { expect, it } from 'vitest';
import type { WorkerContext } from '../context/context.ts';
import { createAheadSlot } from './ahead-slot.ts';
import type { Part } from './parts.ts';

const work = (id: string, { allowed = true, gate = {} }: { allowed?: boolean; gate?: object } = {}) =>
  ({
    run: { id: 'r', plan: { verify_ahead: allowed }, gates: [{ name: 'tests', ...gate }] },
    task: { key: id, approval: false, allowRed: [] },
    attempt: { id, startCommit: 'a', headCommit: 'b' },
    ...{ approved: false, missed: false },
  }) as unknown as LandingWork;

/** A slot of a lane in which one more work waits, and what was opened for it. */
function rig({ idle = 1, next = work('next') }: { idle?: number; next?: LandingWork } = {}) {
  const taken: string[][] = [];
  const opened: string[] = [];
  const ctx = {
    stopping: new AbortController().signal,
    idleProcessors: () => idle,
    repos: {
      open: (run: { id: string }) => {
        opened.push(run.id);
        return Promise.reject(new Error('nothing more is asked here'));
      },
    },
  } as unknown as WorkerContext;
  const slot = createAheadSlot((besides) => {
    taken.push(besides.map(({ attempt }) => attempt.id));
    return Promise.resolve([next]);
  });
  const start = (present = [work('now')], waiting: Part[] = []) =>
    slot.start(ctx, { present, waiting, base: 'c' });
  return { slot, start, taken, opened, next };
}

it('verifies what waits in the lane besides the present works', async () => {
  const { slot, start, taken, opened, next } = rig();
  await start();
  expect(taken).toEqual([['now']]);
  expect(opened).toEqual(['r']);
  expect(slot.works()).toEqual([next]);
});

it('takes no work that waits for its turn as the red one of a train', async () => {
  const { start, taken } = rig();
  await start([work('now')], [{ works: [work('red')], isRest: true }]);
  expect(taken).toEqual([['now', 'red']]);
});

it.each([
  ['the run does not allow it', { allowed: false }],
  ['a gate may write, so that what lands is not known', { gate: { may_write: true } }],
  ['a gate is about every commit', { gate: { every_commit: true } }],
])('takes and verifies nothing where %s', async (_, present) => {
  const { slot, start, taken } = rig();
  await start([work('now', present)]);
  expect([taken, slot.works()]).toEqual([[], []]);
});

it('takes nothing while less than half a processor is idle', async () => {
  const { start, taken } = rig({ idle: 0.49 });
  await start();
  expect(taken).toEqual([]);
});

it('leaves what must not be verified ahead to its turn', async () => {
  const { slot, start, opened } = rig({ next: work('next', { allowed: false }) });
  await start();
  expect([opened, slot.works()]).toEqual([[], []]);
});

it('verifies one train ahead, not two', async () => {
  const { start, taken } = rig();
  await start();
  await start();
  expect(taken).toHaveLength(1);
});

it('gives a verification to exactly its own works, and ends it for others', async () => {
  const { slot, start, next } = rig();
  await start();
  expect(await slot.take([next, work('more')])).toBeNull();
  expect(slot.works()).toEqual([]);
  await start();
  const own = await slot.take([next]);
  expect(own?.works).toEqual([next]);
  expect(await own?.ended, 'a failure decides nothing').toBeNull();
  expect(slot.works()).toEqual([]);
});
