import { existsSync, writeFileSync } from 'node:fs';
import { BatonError } from '@baton/contracts';
import type { Store } from '@baton/task-store';
import { inParts, until, type FakeScript } from '@baton/testkit';
import { expect, it } from 'vitest';
import { createRig, scripted, type Rig } from '../helpers/rig.ts';

const single = (script: FakeScript) => ({
  name: 'away',
  stages: [{ name: 's', steps: [{ key: 'a', title: 'a', agent: scripted(script) }] }],
});
const away = () => new BatonError('DATABASE_UNREACHABLE', 'Postgres does not answer.');

async function told(rig: Rig, runId: string) {
  const task = (await rig.tasks(runId)).get('a');
  const events = await rig.store.streams.events({ taskId: task?.id ?? '' });
  const said = events.flatMap(({ event }) =>
    event.type === 'message' && event.kind === 'stdout' ? event.text.trim().split('\n') : [],
  );
  return { said, attempts: await rig.store.tasks.attempts(task?.id ?? ''), task };
}

it('lets an agent that prints work on while the database is away, and keeps all that it said once, in order', async () => {
  await using rig = await createRig();
  const [began, go, over] = ['began', 'go', 'over'].map((name) => `${rig.stateDir}/${name}`) as [
    string,
    string,
    string,
  ];
  const lines = Array.from({ length: 20 }, (_, n) => `line ${n}`);
  const { run } = await rig.submit(
    single({
      steps: [
        { say: 'before\n' },
        { write: { [began]: 'x' } },
        { waitFor: go },
        ...lines.flatMap((text) => [{ say: `${text}\n` }, { sleepMs: 20 }]),
        { write: { [over]: 'x', 'a.txt': 'a\n' } },
      ],
    }),
  );
  await rig.worker();
  await until(() => existsSync(began), { what: 'the agent is at work', timeoutMs: 30_000 });
  await rig.database.close();
  try {
    writeFileSync(go, '');
    await until(() => existsSync(over), { what: 'the agent has said all', timeoutMs: 30_000 });
  } finally {
    await rig.database.reopen();
  }
  await rig.settled(run.id);
  const { said, attempts, task } = await told(rig, run.id);
  expect(attempts.map(({ outcome }) => outcome)).toEqual(['done']);
  expect(said).toEqual(['before', ...lines]);
  expect(task).toMatchObject({ status: 'CLOSED' });
});

it('writes an event once whose answer was lost with the connection', { tags: ['long'] }, async () => {
  await using rig = await createRig();
  let lost = 0;
  const store: Store = {
    ...rig.store,
    streams: {
      ...rig.store.streams,
      async append(items, options) {
        await rig.store.streams.append(items, options);
        if ((lost += 1) % 2 === 1) throw away();
      },
    },
  };
  const steps = ['one\n', 'same\n', 'same\n'].flatMap((say) => [{ say }, { sleepMs: 50 }]);
  const { run } = await rig.submit(single({ steps: [...steps, { write: { 'a.txt': 'a\n' } }] }));
  await rig.worker({ store });
  await rig.settled(run.id);
  expect(lost).toBeGreaterThan(1);
  expect((await told(rig, run.id)).said).toEqual(['one', 'same', 'same']);
});

const refusals: [string, unknown][] = [
  ['a login that is refused', new BatonError('DATABASE_LOGIN', 'Postgres refused the login.')],
  ['a disk of the server that is full', new BatonError('DATABASE_FULL', 'No space left on device.')],
  ['a deadlock', Object.assign(new Error('deadlock detected'), { code: '40P01', severity: 'ERROR' })],
];

for (const [cases, tagged] of inParts(1, refusals))
  it.each(cases)('counts no try for %s before the agent starts', tagged, async (_, refusal) => {
    await using rig = await createRig();
    let times = 0;
    const store: Store = {
      ...rig.store,
      runs: {
        ...rig.store.runs,
        async pinBase(runId, commit) {
          if ((times += 1) === 1) throw refusal;
          return rig.store.runs.pinBase(runId, commit);
        },
      },
    };
    const { run } = await rig.submit(single({ steps: [{ write: { 'a.txt': 'a\n' } }] }));
    await rig.worker({ store });
    await rig.settled(run.id);
    const { attempts } = await told(rig, run.id);
    expect(attempts.map(({ outcome, counted }) => [outcome, counted])).toEqual([
      ['released', false],
      ['done', true],
    ]);
  });

it(
  'says of a task that its own worker gave up while the database was away what happened',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig();
    let isAway = true;
    const store: Store = {
      ...rig.store,
      runs: {
        ...rig.store.runs,
        async pinBase(runId, commit) {
          if (isAway) throw away();
          return rig.store.runs.pinBase(runId, commit);
        },
      },
      claims: {
        ...rig.store.claims,
        async record(fact, by) {
          if (isAway && fact.fact === 'released') throw away();
          if (fact.fact === 'process_died') isAway = false;
          return rig.store.claims.record(fact, by);
        },
      },
    };
    const { run } = await rig.submit(single({ steps: [{ write: { 'a.txt': 'a\n' } }] }));
    await rig.worker({ store, timing: { leaseMs: 2_000, renewMs: 500 } });
    await rig.settled(run.id);
    const { task } = await told(rig, run.id);
    const moves = await rig.store.tasks.history({ machine: 'task', entityId: task?.id ?? '' });
    expect(moves.map(({ reason }) => reason)).toContain(
      'its worker gave it up, and could not report that: DATABASE_UNREACHABLE: Postgres does not answer.',
    );
    expect(moves.map(({ reason }) => reason)).not.toContain('its worker process is gone');
  },
);
