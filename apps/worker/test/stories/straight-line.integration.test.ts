import { diffSnapshots, until } from '@baton/testkit';
import { expect, it } from 'vitest';
import { createRig, scripted } from '../helpers/rig.ts';

it('carries a plan with dependencies from claim to landed commits and leaves the checkout as it was', async () => {
  await using rig = await createRig();
  const before = await rig.repo.snapshot();
  const { run } = await rig.submit({
    name: 'straight',
    stages: [
      {
        name: 'all',
        steps: [
          {
            title: 'first',
            agent: scripted({ steps: [{ write: { 'a.txt': 'one\n' } }] }),
            signals: [{ type: 'path_exists', path: 'a.txt' }],
          },
          {
            title: 'second',
            depends_on: ['first'],
            agent: scripted({ steps: [{ append: { 'a.txt': 'two\n' } }] }),
            signals: [{ type: 'file_contains', path: 'a.txt', text: 'two' }],
          },
        ],
      },
    ],
  });
  await rig.worker();
  await rig.settled(run.id);
  const tasks = await rig.tasks(run.id);
  expect([...tasks.values()].map((task) => task.status)).toEqual(['CLOSED', 'CLOSED']);
  expect(await rig.repo.git('show', `${run.target}:a.txt`)).toBe('one\ntwo');
  expect(await rig.repo.git('log', '--format=%s', `main..${run.target}`)).toBe('second\nfirst');
  const changes = diffSnapshots(before, await rig.repo.snapshot(), {
    except: [/refs\/heads\/baton\//, /refs\/baton\//],
  });
  expect(changes).toEqual([]);
});

it('retries rejected work with the reasons of the verdict and lands the second try', async () => {
  await using rig = await createRig();
  const { run } = await rig.submit({
    name: 'retry',
    stages: [
      {
        name: 'all',
        steps: [
          {
            title: 'needs two tries',
            agent: scripted({
              attempts: [[{ write: { 'a.txt': 'wrong\n' } }], [{ write: { 'a.txt': 'right\n' } }]],
            }),
            signals: [{ type: 'file_contains', path: 'a.txt', text: 'right' }],
          },
        ],
      },
    ],
  });
  await rig.worker();
  await rig.settled(run.id);
  const [task] = [...(await rig.tasks(run.id)).values()];
  const attempts = await rig.store.tasks.attempts(task?.id ?? '');
  expect(attempts.map((attempt) => [attempt.number, attempt.outcome])).toEqual([
    [1, 'rejected'],
    [2, 'done'],
  ]);
  expect(attempts[0]?.rejections.join(' ')).toContain('a.txt');
});

it('takes three related tasks that find one place as one batch with one commit each', async () => {
  await using rig = await createRig();
  const keys = ['alpha', 'beta', 'gamma'];
  const stepsOf = (key: string) => ({ steps: [{ write: { [`d/${key}`]: key } }, { say: `made ${key}` }] });
  const agent = scripted({ tasks: Object.fromEntries(keys.map((key) => [key, stepsOf(key)])) }, 'acp');
  const { run } = await rig.submit({
    name: 'batch',
    agents: { one: agent },
    agent: 'one',
    stages: [
      {
        name: 'all',
        steps: keys.map((key) => ({
          key,
          title: `file ${key}`,
          files: [`d/${key}`],
          signals: [{ type: 'path_exists', path: `d/${key}` }],
        })),
      },
    ],
  });
  await rig.worker({ capacity: 1 });
  await rig.settled(run.id);
  const sessions = await rig.store.tasks.sessions({ runId: run.id });
  expect(sessions).toHaveLength(1);
  expect((await rig.repo.git('log', '--format=%s', `main..${run.target}`)).split('\n').sort()).toEqual(
    keys.map((key) => `file ${key}`),
  );
});

it('lands a conflicting task from a fresh head without counting a try', async () => {
  await using rig = await createRig({ 'shared.txt': 'base\n' });
  const agent = (text: string) => scripted({ steps: [{ write: { 'shared.txt': text } }] });
  const { run } = await rig.submit({
    name: 'conflict',
    stages: [
      {
        name: 'all',
        steps: [
          { title: 'x', agent: agent('x\n'), signals: [] },
          { title: 'y', agent: agent('y\n'), signals: [] },
        ],
      },
    ],
  });
  await rig.worker({ capacity: 2 });
  await rig.settled(run.id);
  const outcomes = await Promise.all(
    [...(await rig.tasks(run.id)).values()].map(async (task) =>
      (await rig.store.tasks.attempts(task.id)).map((attempt) => attempt.outcome),
    ),
  );
  expect(outcomes.map((list) => list.join(' ')).sort()).toEqual(['conflict done', 'done']);
  expect(
    [...(await rig.tasks(run.id)).values()].every((task) => task.conflicts <= 1 && task.tries <= 1),
  ).toBe(true);
});

it('stops a run on a red base before any agent starts and says which gate is red', async () => {
  await using rig = await createRig();
  const { run } = await rig.submit({
    name: 'red',
    gates: [
      { name: 'tests', command: [process.execPath, '-e', 'console.log("2 tests failed"); process.exit(1)'] },
    ],
    stages: [
      {
        name: 'all',
        steps: [{ title: 'never starts', agent: scripted({ steps: [{ write: { 'a.txt': 'x' } }] }) }],
      },
    ],
  });
  await rig.worker();
  const ended = await rig.settled(run.id, ['paused']);
  expect(ended.statusReason).toMatch(/BASE_RED.*tests.*2 tests failed/s);
  await until(async () => (await rig.store.tasks.sessions({ runId: run.id, live: true })).length === 0, {
    what: 'no session is live',
  });
  expect(
    await rig.store.streams.events({ taskId: [...(await rig.tasks(run.id)).values()][0]?.id ?? '' }),
  ).toEqual([]);
});

it('works through a batch in one ACP session', async () => {
  await using rig = await createRig();
  const agent = scripted(
    {
      tasks: {
        alpha: {
          steps: [
            { toolCall: { title: 'edit', kind: 'edit' } },
            { write: { alpha: 'a\n' } },
            { say: 'made a' },
          ],
        },
        beta: {
          steps: [
            { write: { beta: 'b\n' } },
            { usage: { inputTokens: 10, outputTokens: 5 } },
            { say: 'made b' },
          ],
        },
      },
    },
    'acp',
  );
  const { run } = await rig.submit({
    name: 'acp',
    agents: { one: agent },
    agent: 'one',
    stages: [
      {
        name: 'all',
        steps: ['alpha', 'beta'].map((key) => ({
          key,
          title: `file ${key}`,
          signals: [{ type: 'path_exists', path: key }],
        })),
      },
    ],
  });
  await rig.worker({ capacity: 1 });
  await rig.settled(run.id);
  const [session, ...others] = await rig.store.tasks.sessions({ runId: run.id });
  expect(others).toEqual([]);
  expect(session).toMatchObject({ adapter: 'acp', status: 'dead', executionState: 'stopped' });
});

it('closes a task that needed no change when its signals hold, without moving the target', async () => {
  await using rig = await createRig({ 'a.txt': 'right\n' });
  const { run } = await rig.submit({
    name: 'nothing',
    stages: [
      {
        name: 'all',
        steps: [
          {
            title: 'already done',
            agent: scripted({ steps: [{ say: 'nothing to do' }] }),
            signals: [{ type: 'file_contains', path: 'a.txt', text: 'right' }],
          },
        ],
      },
    ],
  });
  await rig.worker();
  await rig.settled(run.id);
  expect(await rig.repo.git('rev-parse', run.target)).toBe(await rig.repo.git('rev-parse', 'main'));
});

it('refuses a task that claims to be done without a change or a signal', async () => {
  await using rig = await createRig();
  const { run } = await rig.submit({
    name: 'lazy',
    stages: [
      {
        name: 'all',
        steps: [{ title: 'lazy', max_retries: 0, agent: scripted({ steps: [{ say: 'all done!' }] }) }],
      },
    ],
  });
  await rig.worker();
  const ended = await rig.settled(run.id, ['failed', 'stuck']);
  expect([...(await rig.tasks(run.id)).values()].map((task) => task.status)).toEqual(['FAILED']);
  expect(ended.status).toBe('failed');
});

it('starts a run that was submitted without a base from the head of the repository', async () => {
  await using rig = await createRig();
  const { run } = await rig.submit(
    {
      name: 'afar',
      stages: [
        { name: 'all', steps: [{ title: 'x', agent: scripted({ steps: [{ write: { x: 'x\n' } }] }) }] },
      ],
    },
    { baseCommit: null },
  );
  await rig.worker();
  await rig.settled(run.id);
  expect((await rig.store.runs.get(run.id))?.baseCommit).toBe(await rig.repo.git('rev-parse', 'main'));
});
