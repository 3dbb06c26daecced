import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { until } from '@baton/testkit';
import { expect, it } from 'vitest';
import { createRig, scripted, type Rig } from '../helpers/rig.ts';

/** A plan in which `work` conflicts with `one`, then with `two`, and at its third try does what `last` says, as `sh`. */
async function conflictTwice(rig: Rig, last: string, speaks: 'acp' | 'command' = 'acp') {
  const at = (name: string) => path.join(rig.stateDir, name);
  const waitFor = (name: string) => `while [ ! -e '${at(name)}' ]; do sleep 0.05; done`;
  const script = `tries=$(cat '${at('tries')}' 2>/dev/null || echo 0)
echo $((tries + 1)) > '${at('tries')}'
case $tries in
  0) ${waitFor('go1')}; echo mine > shared.txt;;
  1) touch '${at('began2')}'; ${waitFor('go2')}; echo mine again > shared.txt;;
  *) ${last};;
esac`;
  const agent = scripted({ steps: [{ say: 'I am at it.' }, { run: ['sh', '-c', script] }] }, speaks);
  const other = (line: string) => ({ command: ['sh', '-c', line] });
  const { run } = await rig.submit({
    name: 'resolved',
    max_agents: 3,
    stages: [
      {
        name: 'all',
        steps: [
          { key: 'work', title: 'work', agent, max_retries: 0 },
          { key: 'one', title: 'one', agent: other('echo one > shared.txt') },
          { key: 'two', title: 'two', agent: other(`${waitFor('began2')}; echo two > shared.txt`) },
        ],
      },
    ],
  });
  await rig.worker({ capacity: 3 });
  for (const [key, go] of [
    ['one', 'go1'],
    ['two', 'go2'],
  ] as const) {
    await until(async () => (await rig.tasks(run.id)).get(key)?.status === 'CLOSED', {
      what: `${key} has landed`,
      timeoutMs: 30_000,
    });
    writeFileSync(at(go), '');
  }
  return run;
}

const attemptsOf = async (rig: Rig, runId: string) =>
  rig.store.tasks.attempts((await rig.tasks(runId)).get('work')?.id ?? '');

it('lays work that conflicts for the second time with both sides, and lands what its agent makes of them', async () => {
  await using rig = await createRig({ 'shared.txt': 'base\n' });
  const resolve = `grep -q '^<<<<<<< ' shared.txt && grep -q '^two$' shared.txt && grep -q '^mine again$' shared.txt &&
    printf 'two\\nmine again\\n' > shared.txt`;
  const run = await conflictTwice(rig, resolve);
  await rig.settled(run.id);
  const attempts = await attemptsOf(rig, run.id);
  expect(attempts.map(({ outcome, counted }) => [outcome, counted])).toEqual([
    ['conflict', false],
    ['conflict', false],
    ['done', true],
  ]);
  expect(await rig.repo.git('show', `${run.target}:shared.txt`)).toBe('two\nmine again');
});

it('takes no work in which a marker is left, and names its files for the next attempt', async () => {
  await using rig = await createRig({ 'shared.txt': 'base\n' });
  const run = await conflictTwice(rig, 'echo more > more.txt');
  await rig.settled(run.id, ['failed']);
  const attempts = await attemptsOf(rig, run.id);
  const [refused] = attempts.filter(({ outcome }) => outcome !== 'conflict');
  expect(refused).toMatchObject({ outcome: 'agent_failed', counted: true });
  expect(refused?.rejections).toEqual([
    'A conflict is left in shared.txt: keep one side or both, and remove what git wrote around them.',
  ]);
  expect(await rig.repo.git('show', `${run.target}:shared.txt`)).toBe('two');
});

it('starts a command on the head alone, however often its work conflicted', { tags: ['long'] }, async () => {
  await using rig = await createRig({ 'shared.txt': 'base\n' });
  const again = '[ "$(cat shared.txt)" = two ] && echo three > shared.txt';
  const run = await conflictTwice(rig, again, 'command');
  await rig.settled(run.id);
  expect(await rig.repo.git('show', `${run.target}:shared.txt`)).toBe('three');
  expect(existsSync(path.join(rig.repo.path, 'shared.txt'))).toBe(true);
});
