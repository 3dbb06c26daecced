import { until } from '@baton/testkit';
import { expect, it } from 'vitest';
import { scriptedMind } from '../helpers/model.ts';
import { createRig, scripted, type Rig } from '../helpers/rig.ts';

const endless = { endless: [process.execPath, '-e', 'setInterval(() => {}, 1000)'] };

async function movesOf(rig: Rig, { runId, key }: { runId: string; key: string }) {
  const task = (await rig.tasks(runId)).get(key);
  return rig.store.tasks.history({ machine: 'task', entityId: task?.id ?? '' });
}

it('stops a tool call that takes too long alone, and the agent continues', async () => {
  await using rig = await createRig();
  await using mind = await scriptedMind(
    [
      {
        name: 'job',
        when: 'job',
        turns: [
          { do: [{ tool: 'run_check', input: { name: 'endless' } }] },
          { do: [{ tool: 'write_file', input: { path: 'a.txt', content: 'a\n' } }] },
          { say: 'Done without it.' },
        ],
      },
    ],
    { checks: endless },
  );
  const { run } = await rig.submit({
    name: 'stuck',
    stages: [{ name: 'all', steps: [{ key: 'job', title: 'job', agent: mind.agent }] }],
  });
  await rig.worker({ timing: { toolMs: 700 } });
  await rig.settled(run.id);
  expect(await rig.repo.git('show', `${run.target}:a.txt`)).toBe('a');
  const attempts = await rig.store.tasks.attempts((await rig.tasks(run.id)).get('job')?.id ?? '');
  expect(attempts.map((attempt) => attempt.outcome)).toEqual(['done']);
});

it('ends the session of an agent that cannot stop a stuck tool call alone', { tags: ['long'] }, async () => {
  await using rig = await createRig();
  const stuck = scripted(
    { steps: [{ toolCall: { title: 'npm test', kind: 'execute', status: 'in_progress' } }, { hang: true }] },
    'acp',
  );
  const { run } = await rig.submit({
    name: 'stuck',
    stages: [{ name: 'all', steps: [{ key: 'job', title: 'job', agent: stuck, max_retries: 0 }] }],
  });
  await rig.worker({ timing: { toolMs: 500 } });
  await rig.settled(run.id, ['failed']);
  expect((await movesOf(rig, { runId: run.id, key: 'job' })).at(-1)).toMatchObject({
    to: 'FAILED',
    transitionReason: 'aborted',
    abortReason: 'bash_error',
  });
  // The agent's end is recorded after its task's.
  const session = await until(
    async () => (await rig.store.tasks.sessions({ runId: run.id })).find(({ status }) => status === 'dead'),
    { what: 'the session has ended' },
  );
  expect(session).toMatchObject({ abortReason: 'bash_error' });
});

/** One agent whose call is denied, beside one that hangs at its first try. */
async function denied(rig: Rig, abort: Record<string, boolean> | undefined) {
  const mind = await scriptedMind([
    {
      name: 'nosy',
      when: 'nosy',
      turns: [
        // Late enough for the other one to be at work, however busy the machine is.
        { do: [{ tool: 'write_file', input: { path: '../out.txt', content: 'x' } }], delayMs: 2_500 },
        { do: [{ tool: 'write_file', input: { path: 'nosy.txt', content: 'x\n' } }], delayMs: 1_000 },
        { say: 'Done.' },
      ],
    },
  ]);
  const calm = scripted({ attempts: [[{ hang: true }], [{ write: { 'calm.txt': 'calm\n' } }]] });
  const { run } = await rig.submit({
    name: 'siblings',
    batch_size: 1,
    ...(abort === undefined ? {} : { abort }),
    stages: [
      {
        name: 'all',
        steps: [
          {
            key: 'calm',
            title: 'calm',
            agent: calm,
            timeout: abort === undefined ? '4s' : '60s',
            max_retries: abort === undefined ? 0 : 3,
          },
          { key: 'nosy', title: 'nosy', agent: mind.agent, files: ['nosy.txt'] },
        ],
      },
    ],
  });
  await rig.worker({ capacity: 2 });
  await rig.settled(run.id, ['done', 'failed']);
  await mind[Symbol.asyncDispose]();
  return run;
}

async function reasons(rig: Rig, runId: string, key: string) {
  return (await movesOf(rig, { runId, key })).flatMap((move) =>
    move.transitionReason === null ? [] : [`${move.to} ${move.transitionReason}`],
  );
}

it('contains a denied tool call: by default no other session hears of it', { tags: ['long'] }, async () => {
  await using rig = await createRig();
  const run = await denied(rig, undefined);
  const attempts = await rig.store.tasks.attempts((await rig.tasks(run.id)).get('calm')?.id ?? '');
  expect(attempts.map(({ outcome, abortReason }) => [outcome, abortReason])).toEqual([
    ['timeout', 'timeout'],
  ]);
  expect(await reasons(rig, run.id, 'nosy')).toEqual(['DONE completed', 'CLOSED completed']);
});

it(
  'stops the siblings of an agent whose tool call was denied where the plan says so, and gives their tasks back',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig();
    const run = await denied(rig, { tool_to_sibling: true });
    expect(await reasons(rig, run.id, 'calm')).toEqual([
      'OPEN sibling_aborted',
      'DONE completed',
      'CLOSED completed',
    ]);
    expect(await reasons(rig, run.id, 'nosy')).toEqual(['DONE completed', 'CLOSED completed']);
    const ends = (await rig.store.tasks.sessions({ runId: run.id })).map((session) => session.abortReason);
    expect(ends.filter((end) => end !== null)).toEqual(['sibling_aborted']);
  },
);

it(
  'keeps an agent between the tasks of its batch and after them where the plan says so, then recycles it',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig();
    const stepsOf = (key: string) => ({ steps: [{ write: { [`d/${key}`]: key } }, { say: `made ${key}` }] });
    const agent = scripted({ tasks: { alpha: stepsOf('alpha'), beta: stepsOf('beta') } }, 'acp');
    const { run } = await rig.submit({
      name: 'reuse',
      reuse: { recycle: '1s' },
      agent,
      stages: [
        {
          name: 'all',
          steps: [
            { key: 'alpha', title: 'alpha', files: ['d/alpha'] },
            { key: 'beta', title: 'beta', files: ['d/beta'] },
          ],
        },
      ],
    });
    await rig.worker({ capacity: 1 });
    await rig.settled(run.id);
    const [session] = await until(
      async () => {
        const found = await rig.store.tasks.sessions({ runId: run.id });
        return found.every((one) => one.status === 'dead') ? found : undefined;
      },
      { what: 'the agent was recycled' },
    );
    const moves = await rig.store.tasks.history({ machine: 'agent', entityId: session?.id ?? '' });
    expect(moves.map((move) => move.to)).toEqual(['starting', 'working', 'idle', 'working', 'idle', 'dead']);
  },
);
