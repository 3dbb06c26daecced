import type { AgentDefinition } from '@baton/contracts';
import { expect, it } from 'vitest';
import { draft, request } from './support/builders.ts';
import { testStore } from './support/store.ts';
import type { RunDraft } from '../src/index.ts';

const held = testStore();
const acp: AgentDefinition = { acp: ['agent'] };

/** Sizes of the batches that a worker with free places takes, one after the other, until nothing is left for it. */
async function sizes(
  keys: readonly string[],
  { slots, ...given }: Partial<RunDraft> & { slots: number },
): Promise<number[]> {
  const drafts = keys.map((key) => draft(key));
  const { runId } = await held.flow.open(drafts, { agents: { one: acp }, defaultAgent: 'one', ...given });
  const found: number[] = [];
  for (let free = slots; free > 0; free -= 1) {
    const claim = await held.store.claims.claimBatch(request({ runId, maxTasks: 3, slots: free }));
    if (claim === null) break;
    found.push(claim.tasks.length);
  }
  return found;
}

it('lets tasks share an agent only where more are ready than the worker has places', async () => {
  expect(await sizes(['a', 'b', 'c'], { slots: 3 })).toEqual([1, 1, 1]);
  expect(await sizes(['a', 'b', 'c', 'd'], { slots: 3 })).toEqual([2, 1, 1]);
  expect(await sizes(['a', 'b', 'c', 'd', 'e', 'f'], { slots: 2 })).toEqual([3, 3]);
  expect(await sizes(['a', 'b', 'c', 'd', 'e', 'f'], { slots: 2, batchSize: 2 })).toEqual([2, 2]);
});

it('counts the places that the run may still take, not those of the worker alone', async () => {
  expect(await sizes(['a', 'b', 'c', 'd'], { slots: 4, maxAgents: 2 })).toEqual([2, 2]);
});

it('never batches tasks of a command, whichever setting names it', async () => {
  const command: AgentDefinition = { command: ['true'] };
  const keys = ['a', 'b', 'c'];
  expect(await sizes(keys, { slots: 1, agents: { one: command } })).toEqual([1]);
  expect(await sizes(keys, { slots: 1, agents: {}, defaultAgent: command })).toEqual([1]);
  expect(await sizes(keys, { slots: 1, agents: { one: command }, defaultAgent: null })).toEqual([1]);
  const roles = { roles: { backend: { agent: 'tool' } } };
  const given = { slots: 1, agents: { tool: command, one: acp }, defaultAgent: 'one', routing: roles };
  expect(await sizes(keys, given)).toEqual([1]);
});

it('fills a batch in spite of free places where the agent is warm or the plan keeps it', async () => {
  expect(await sizes(['a', 'b', 'c'], { slots: 3, agents: { one: { ...acp, warm: true } } })).toEqual([3]);
  expect(await sizes(['a', 'b', 'c'], { slots: 3, plan: { reuse: { recycle: 0 } } })).toEqual([3]);
});

it('leaves a task that waits for another one to be claimed when that has landed', async () => {
  const drafts = [draft('a'), draft('b'), draft('c', { dependsOn: ['a'] })];
  const { runId } = await held.flow.open(drafts, { agents: { one: acp }, defaultAgent: 'one' });
  const claim = await held.store.claims.claimBatch(request({ runId, maxTasks: 3, slots: 1 }));
  expect(claim?.tasks.map(({ task }) => task.key)).toEqual(['a', 'b']);
});

it('leaves tasks to the places of other workers that are there', async () => {
  const other = {
    name: 'other',
    host: 'here',
    pid: 1,
    pidStarted: '1',
    bootId: '1',
    capacity: 2,
    labels: [],
  };
  await held.store.workers.register({ ...other, id: 'other', version: '0.0.0', runId: null });
  expect(await sizes(['a', 'b', 'c'], { slots: 1 })).toEqual([1]);
  await held.store.workers.setStatus('other', 'offline', { actor: 'tester', reason: 'it ended' });
  expect(await sizes(['a', 'b', 'c'], { slots: 1 })).toEqual([3]);
});
