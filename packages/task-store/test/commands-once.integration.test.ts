import { expect, it } from 'vitest';
import { by, draft } from './support/builders.ts';
import { holding } from './support/flow.ts';
import { testStore } from './support/store.ts';

const held = testStore();

it('a cancel that found its task settled has been carried out, and a repeat cancels nothing that a person began since', async () => {
  const { runId, tasks } = await held.flow.open([draft('a', { maxRetries: 0 })]);
  const id = tasks[0]?.id ?? '';
  const cancel = (commandId: string) => held.store.tasks.cancel(id, { ...by, commandId });
  await held.flow.finish(runId);
  await held.flow.reject(runId, 'rejected');
  expect(await cancel('settled')).toMatchObject({ status: 'FAILED', settled: true });
  expect(await held.store.tasks.retry(id, by)).toMatchObject({ status: 'OPEN' });
  expect(await cancel('settled')).toMatchObject({ status: 'OPEN', cancelRequested: false });
  // One that did cancel: what was done fails for good, and a person lets it be tried again.
  await held.flow.finish(runId);
  expect(await cancel('done')).toMatchObject({ status: 'FAILED', settled: true });
  expect(await held.store.tasks.retry(id, by)).toMatchObject({ status: 'OPEN' });
  expect((await Promise.all([cancel('done'), cancel('done')])).map(({ status }) => status)).toEqual([
    'OPEN',
    'OPEN',
  ]);
  expect(await cancel('another')).toMatchObject({ status: 'CANCELLED' });
  expect((await held.store.audit.verify()).broken).toEqual([]);
});

it('of two cancels under one id at one moment both have the same answer', async () => {
  const { tasks } = await held.flow.open([draft('a')]);
  const cancel = () => held.store.tasks.cancel(tasks[0]?.id ?? '', { ...by, commandId: 'twice' });
  const both = await Promise.all([cancel(), cancel()]);
  expect(both.map(({ id }) => id)).toEqual([tasks[0]?.id, tasks[0]?.id]);
  expect(await held.store.tasks.get(tasks[0]?.id ?? '')).toMatchObject({ status: 'CANCELLED' });
});

it('an unblock that is repeated after its answer was lost is answered, and refused under another id', async () => {
  const { runId, tasks } = await held.flow.open([draft('a')]);
  const id = tasks[0]?.id ?? '';
  const unblock = (commandId: string) => held.store.tasks.unblock(id, { ...by, commandId });
  const claim = await held.flow.working(runId);
  const on = { text: 'a key' };
  await held.flow.tell({ fact: 'blocked', holding: holding(claim), on, reason: 'no key' });
  expect(await unblock('once')).toMatchObject({ status: 'OPEN' });
  expect(await unblock('once')).toMatchObject({ status: 'OPEN' });
  await expect(unblock('again')).rejects.toMatchObject({ code: 'CONFLICT' });
});
