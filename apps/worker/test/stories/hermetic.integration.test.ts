import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { until } from '@baton/testkit';
import { expect, test } from 'vitest';
import { createRig, type Rig } from '../helpers/rig.ts';

const shell = (line: string): { command: [string, ...string[]] } => ({
  command: ['sh', '-c', `cat >/dev/null; ${line}`],
});
const linter = '#!/bin/sh\n! grep -rq BUG src\n';

async function show(rig: Rig, rev: string): Promise<string> {
  return rig.repo.git('show', rev).catch(() => 'absent');
}

test('what a rejected task wrote into installed packages judges no other: its neighbour is refused, also in the next run', async () => {
  await using rig = await createRig({
    'src/a.txt': 'a\n',
    'test.sh': 'exit 0\n',
    '.gitignore': 'node_modules\n',
  });
  await rig.repo.write({ 'node_modules/.bin/check': linter });
  const poison = 'echo "echo exit 0 >node_modules/.bin/check; exit 1" >test.sh';
  const planOf = (name: string) => ({
    name,
    workspace: { symlink: ['node_modules'] },
    batch_size: 1,
    agents: {
      poisoner: shell(poison),
      buggy: shell('echo BUG >src/a.txt'),
      good: shell('echo fine >src/a.txt'),
    },
    gates: [
      { name: 'tests', command: ['sh', 'test.sh'] },
      { name: 'lint', command: ['sh', 'node_modules/.bin/check'] },
    ],
    stages: [
      { name: 'one', steps: [{ key: 'p', title: 'p', agent: 'poisoner', max_retries: 0 }] },
      { name: 'two', steps: [{ key: 'bug', title: 'b', agent: 'buggy', max_retries: 0, files: ['src'] }] },
      { name: 'three', steps: [{ key: 'good', title: 'g', agent: 'good', max_retries: 0, files: ['src'] }] },
    ],
  });
  await rig.worker();
  for (const name of ['first', 'second']) {
    const { run } = await rig.submit(planOf(name));
    await rig.settled(run.id, ['failed', 'done', 'stuck']);
    const tasks = await rig.tasks(run.id);
    expect([tasks.get('p')?.status, tasks.get('bug')?.status, tasks.get('good')?.status]).toEqual([
      'FAILED',
      'FAILED',
      'CLOSED',
    ]);
    const [verdict] = await rig.store.tasks.verdicts(tasks.get('bug')?.id ?? '');
    expect(verdict?.results.find((result) => result.name === 'lint')?.passed).toBe(false);
  }
}, 120_000);

test('a gate that mends what it checks is a no that names the file; declared, its changes land after all was judged again', async () => {
  await using rig = await createRig({ 'src/a.txt': 'a\n', 'src/b.txt': 'b\n' });
  const planOf = (name: string, more: object) => ({
    name,
    agents: { buggy: shell('echo BUG >src/a.txt') },
    gates: [
      { name: 'seen', command: ['sh', '-c', 'test ! -e src/left; touch src/left'] },
      { name: 'fix', command: ['sh', '-c', 'sed -i s/BUG/ok/ src/*.txt; ! grep -rq BUG src'], ...more },
      { name: 'after', command: ['sh', '-c', '! grep -rq BUG src'] },
    ],
    stages: [{ name: 's', steps: [{ key: 'f', title: 'f', agent: 'buggy', max_retries: 0 }] }],
  });
  await rig.worker();
  const plain = await rig.submit(planOf('plain', {}));
  await rig.settled(plain.run.id, ['failed', 'done', 'stuck']);
  const [no] = await rig.store.tasks.verdicts((await rig.tasks(plain.run.id)).get('f')?.id ?? '');
  expect(no?.passed).toBe(false);
  expect(no?.reasons).toEqual([
    expect.stringMatching(/^gate fix: .*changed tracked files \(src\/a\.txt\).*may_write: true/),
    expect.stringMatching(/^gate after: .* ended with exit code 1/),
  ]);

  const declared = await rig.submit(planOf('declared', { may_write: true }));
  await rig.settled(declared.run.id);
  const { target } = declared.run;
  expect(await show(rig, `${target}:src/a.txt`)).toBe('ok');
  const verdicts = await rig.store.tasks.verdicts((await rig.tasks(declared.run.id)).get('f')?.id ?? '');
  const yes = verdicts.at(-1);
  expect(yes?.tree).toBe(await rig.repo.git('rev-parse', `${target}^{tree}`));
  expect(yes?.results.find((result) => result.name === 'written')?.reason).toMatch(/gate fix: .*src\/a\.txt/);

  const restless = await rig.submit({
    ...planOf('restless', {}),
    gates: [{ name: 'stamp', command: ['sh', '-c', 'echo x >>src/b.txt'], may_write: true }],
  });
  await rig.settled(restless.run.id, ['paused']);
  expect((await rig.store.runs.get(restless.run.id))?.statusReason ?? '').toMatch(
    /its own result, so no tree passes it/,
  );
}, 120_000);

test(
  'a red that came from outside the tree is asked again: the same tree lands when that was put right',
  { tags: ['long'], timeout: 120_000 },
  async () => {
    await using rig = await createRig({ 'a.txt': 'a\n', '.gitignore': 'tools\n' });
    await rig.repo.write({ 'tools/deep/check': 'exit 0' });
    const down = path.join(rig.stateDir, 'GATE_DOWN');
    const planOf = (name: string) => ({
      name,
      workspace: { symlink: ['tools'] },
      agents: { steady: shell('echo b >a.txt') },
      gates: [{ name: 'service', command: ['sh', '-c', `test "$(cat a.txt)" = a || test ! -e ${down}`] }],
      stages: [
        { name: 's', steps: [{ key: 'f', title: 'f', agent: 'steady', files: ['a.txt'], max_retries: 0 }] },
      ],
    });
    await rig.worker();
    writeFileSync(down, '');
    const first = await rig.submit(planOf('first'));
    await rig.settled(first.run.id, ['failed', 'stuck']);
    rmSync(down);
    const second = await rig.submit(planOf('second'));
    await rig.settled(second.run.id);
    expect(await show(rig, `${second.run.target}:a.txt`)).toBe('b');
    const [verdict] = await rig.store.tasks.verdicts((await rig.tasks(second.run.id)).get('f')?.id ?? '');
    expect(verdict?.results.some((result) => result.cached)).toBe(false);

    // A yes is taken again, and says so.
    const third = await rig.submit(planOf('third'));
    await rig.settled(third.run.id);
    const [again] = await rig.store.tasks.verdicts((await rig.tasks(third.run.id)).get('f')?.id ?? '');
    expect(again?.results.find((result) => result.name === 'service')?.cached).toBe(true);

    // Not with another set-up.
    await rig.repo.write({ 'tools/deep/check': 'exit 1' });
    const fourth = await rig.submit(planOf('fourth'));
    await rig.settled(fourth.run.id);
    const [asked] = await rig.store.tasks.verdicts((await rig.tasks(fourth.run.id)).get('f')?.id ?? '');
    expect(asked?.results.find((result) => result.name === 'service')?.cached).toBe(false);
  },
);

test(
  'a base that was red for a reason outside of the tree is asked again when its run is resumed',
  { tags: ['long'], timeout: 60_000 },
  async () => {
    await using rig = await createRig({ 'a.txt': 'a\n' });
    const down = path.join(rig.stateDir, 'GATE_DOWN');
    writeFileSync(down, '');
    const planned = {
      name: 'base',
      agents: { steady: shell('echo b >>a.txt') },
      gates: [{ name: 'service', command: ['sh', '-c', `test ! -e ${down}`] }],
      stages: [{ name: 's', steps: [{ key: 'f', title: 'f', agent: 'steady', max_retries: 0 }] }],
    };
    await rig.worker();
    const { run } = await rig.submit(planned);
    expect((await rig.settled(run.id, ['paused'])).statusReason).toMatch(/BASE_RED.*service/s);
    rmSync(down);
    await rig.store.runs.resume(run.id, { actor: 'operator:test', reason: 'it is up' });
    await until(async () => (await rig.tasks(run.id)).get('f')?.status === 'CLOSED', {
      what: 'the task that waited has landed',
      timeoutMs: 30_000,
    });
  },
);

test(
  'a set-up that a change breaks is a no with its output, and work behind it lands',
  { tags: ['long'], timeout: 120_000 },
  async () => {
    await using rig = await createRig({ 'package.txt': 'good\n', 'b.txt': 'b\n' });
    const { run } = await rig.submit({
      name: 'broken',
      workspace: { setup: ['sh', '-c', 'grep good package.txt || { echo no such package >&2; exit 3; }'] },
      agents: { breaker: shell('echo bad >package.txt'), good: shell('echo c >b.txt') },
      gates: [{ name: 'tests', command: ['true'] }],
      stages: [
        { name: 'one', steps: [{ key: 'bad', title: 'bad', agent: 'breaker', max_retries: 0 }] },
        { name: 'two', steps: [{ key: 'ok', title: 'ok', agent: 'good' }] },
      ],
    });
    await rig.worker();
    await rig.settled(run.id, ['failed', 'done', 'stuck']);
    const tasks = await rig.tasks(run.id);
    expect([tasks.get('bad')?.status, tasks.get('ok')?.status]).toEqual(['FAILED', 'CLOSED']);
    const [verdict] = await rig.store.tasks.verdicts(tasks.get('bad')?.id ?? '');
    expect(verdict?.reasons[0]).toMatch(/SETUP_FAILED: .*no such package/s);
  },
);

test('gates see CI, a folder for temporary files of their own and none of the operator’s secrets', async () => {
  await using rig = await createRig({ 'a.txt': 'a\n' });
  const seen = path.join(rig.stateDir, 'seen');
  const { run } = await rig.submit({
    name: 'environment',
    agents: { steady: shell('echo b >a.txt') },
    gates: [
      { name: 'first', command: ['sh', '-c', `env >>${seen}; echo x >"$TMPDIR/f"`] },
      {
        name: 'second',
        command: [
          'sh',
          '-c',
          `test ! -e "$TMPDIR/f" && test "$CI" = 1 && test -z "$OPENAI_API_KEY$DATABASE_URL"`,
        ],
      },
    ],
    stages: [{ name: 's', steps: [{ key: 'f', title: 'f', agent: 'steady', max_retries: 0 }] }],
  });
  await rig.worker({
    operatorEnv: {
      PATH: process.env['PATH'],
      OPENAI_API_KEY: 'sk-very-secret-key',
      DATABASE_URL: 'postgresql://u:pw-in-url@h/d',
    },
  });
  await rig.settled(run.id);
  const printed = readFileSync(seen, 'utf8');
  expect(printed).toContain('CI=1');
  expect(printed).not.toMatch(/very-secret|pw-in-url/);
  const scratch = /^TMPDIR=(.*)$/m.exec(printed)?.[1] ?? '';
  expect([path.basename(scratch).startsWith('baton-'), existsSync(scratch)]).toEqual([true, false]);
}, 60_000);

test('asks the gates about the base again after a restart where set-up would copy something else', async () => {
  await using rig = await createRig({ 'readme.txt': 'hello\n' });
  await rig.repo.write({ 'tool.local': 'exit 0\n' });
  const { run } = await rig.submit({
    name: 'again',
    workspace: { copy: ['tool.local'] },
    gates: [{ name: 'tool', command: ['bash', 'tool.local'] }],
    stages: [{ name: 's', steps: [{ key: 'a', title: 'a', agent: shell('sleep 60') }] }],
  });
  const first = await rig.worker({ capacity: 1 });
  await until(async () => ((await rig.tasks(run.id)).get('a')?.status === 'IN_PROGRESS' ? true : undefined), {
    what: 'the agent is at work',
    timeoutMs: 30_000,
  });
  expect(await rig.store.runs.baseVerdict(run.id)).toMatchObject({ passed: true });
  await first.stop();
  await rig.repo.write({ 'tool.local': 'exit 1\n' });
  await rig.worker({ capacity: 1 });
  await rig.settled(run.id, ['paused']);
  expect(await rig.store.runs.baseVerdict(run.id)).toMatchObject({ passed: false });
});

test(
  'a gate that puts tracked files back while it runs on a copy decides once, says so, and is asked again',
  { tags: ['long'], timeout: 120_000 },
  async () => {
    await using rig = await createRig({ 'a.txt': 'a\n' });
    const planOf = (name: string) => ({
      name,
      agents: { steady: shell('echo b >a.txt') },
      gates: [
        { name: 'format', command: ['sh', '-c', 'for f in *.txt; do cp $f new; cat new >$f; rm new; done'] },
      ],
      stages: [{ name: 's', steps: [{ key: 'f', title: 'f', agent: 'steady', max_retries: 0 }] }],
    });
    await rig.worker({ isolation: 'copy' });
    for (const name of ['first', 'second']) {
      const { run } = await rig.submit(planOf(name));
      await rig.settled(run.id);
      const [verdict] = await rig.store.tasks.verdicts((await rig.tasks(run.id)).get('f')?.id ?? '');
      const results = new Map(verdict?.results.map((result) => [result.name, result]));
      expect([verdict?.passed, results.get('format')?.cached]).toEqual([true, false]);
      expect(results.get('rewritten')?.reason).toMatch(/three runs \(a\.txt\)/);
    }
  },
);
