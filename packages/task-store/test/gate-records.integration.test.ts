import { expect, it } from 'vitest';
import type { CheckResult, Gate } from '@baton/contracts';
import { by, draft } from './support/builders.ts';
import { passed } from './support/flow.ts';
import { testStore } from './support/store.ts';

const held = testStore();
let repos = 0;

const gate = (command: string[]): Gate => ({ name: 'tests', command, required: true, timeout: 1_000 });

/** Finished work in a repository of its own, and a way to say what its gate said of a tree. */
async function judged(command: string[], location = `/gates-${++repos}`) {
  const { runId } = await held.flow.open([draft('a')], {
    repo: { location, host: 'here' },
    gates: [gate(command)],
  });
  await held.flow.finish(runId);
  const { attempt } = await held.flow.take(runId);
  const holding = { attemptId: attempt.id, fence: attempt.fence };
  const repoId = (await held.store.runs.get(runId))?.repoId ?? '';
  const say = async (tree: string, result: Partial<CheckResult>, checksHash = 'h') => {
    const said: CheckResult = {
      ...{ name: 'tests', kind: 'gate', required: true, passed: true, reason: 'exit 0', durationMs: 1 },
      ...{ cached: false, ...result },
    };
    const verdict = { ...passed(tree), passed: said.passed, results: [said] };
    await held.store.lanes.saveVerdict({ holding, checksHash, verdict });
  };
  const reject = (reasons: string[]) =>
    held.store.claims.record({ fact: 'rejected', holding, kind: 'rejected', reasons }, by);
  const records = () => held.store.trust.gates({ repoId });
  return { taskId: attempt.taskId, repoId, location, say, reject, records };
}

it('counts trees that a gate refused and then passed with nothing changed, and what it never passed', async () => {
  const { say, records } = await judged(['make']);
  await say('noted', { reds: 1 });
  await say('seen', { passed: false });
  await say('seen', {});
  await say('other checks', { passed: false });
  await say('other checks', {}, 'another set-up');
  await say('bad', { passed: false, reds: 2 });
  await say('good', {});
  expect(await records()).toMatchObject([
    { name: 'tests', command: ['make'], judged: 5, refused: 1, flaked: 2 },
  ]);
});

it('does not count what a gate was not asked, nor a tree twice that several tasks landed as', async () => {
  const { say, records } = await judged(['make']);
  await say('train', { reds: 1 });
  await say('train', { reds: 1 }, 'train');
  await say('train', { cached: true });
  await say('other', { cached: true, reds: 1 });
  await say('third', { reason: 'not asked: nothing below src changed' });
  expect(await records()).toMatchObject([{ judged: 1, flaked: 1 }]);
});

it('looks at the last trees alone, and at each command by itself', async () => {
  const first = await judged(['make']);
  await first.say('old', { reds: 1 });
  for (let at = 0; at < 19; at++) await first.say(`tree ${at}`, {});
  expect(await first.records()).toMatchObject([{ judged: 20, flaked: 1 }]);
  await first.say('one more', {});
  expect(await first.records()).toMatchObject([{ judged: 20, flaked: 0, flakedAt: null }]);
  const second = await judged(['make', '-j'], first.location);
  await second.say('new', { reds: 3 });
  expect(await second.records()).toMatchObject([
    { command: ['make', '-j'], judged: 1, flaked: 1 },
    { command: ['make'], judged: 20 },
  ]);
});

it('says in the explanation of a task that a flaky gate verifies or set it back, and how flaky it is', async () => {
  const { taskId, say, reject } = await judged(['make']);
  const text = async () => (await held.store.tasks.explain(taskId)).text;
  await say('one', { reds: 1 });
  await say('two', { reds: 2 });
  expect(await text()).toContain(
    'The gate tests is flaky: it refused 2 of the last 2 trees that it judged and then passed them',
  );
  await say('three', { passed: false });
  await reject(['gate tests: exit 1\nsome output']);
  expect(await text()).toContain('The gate tests is flaky: it refused 2 of the last 3 trees');
});

it('does not blame a flaky gate for what another check refused, nor a gate that flaked no more than is allowed', async () => {
  const steady = await judged(['make']);
  await steady.say('one', { reds: 1 });
  await steady.reject(['gate tests: exit 1']);
  const other = await judged(['make']);
  for (const tree of ['one', 'two']) await other.say(tree, { reds: 1 });
  await other.reject(['gate lint: exit 1']);
  for (const { taskId } of [steady, other])
    expect((await held.store.tasks.explain(taskId)).text).not.toContain('flaky');
});
