import { expect, test } from 'vitest';

import { createBench } from '../support/bench.ts';
import { branchesOf, isOpen, openHubWorld, patience, shipping, type Told } from '../support/hub-world.ts';
import { writes } from '../support/plans.ts';

test(
  'a request that conflicts with what was merged is made again on the same branch',
  { tags: ['long'] },
  async () => {
    const append = (name: string) => ({
      command: ['node', '-e', `require('node:fs').appendFileSync('list.txt', '${name}\\n')`],
    });
    await using world = await openHubWorld({
      'list.txt': 'zero\n',
      'plan.yaml': shipping({ key: 'one', agent: append('one') }),
    });
    const { hub } = world;
    const run = world.start('run', 'plan.yaml');
    const { number, head } = await hub.sees(isOpen('one'));
    const before = await hub.git('rev-parse', head);
    await hub.commit({ 'list.txt': 'zero\nperson\n' });
    await expect.poll(() => hub.git('rev-parse', head), patience).not.toBe(before);
    expect(await hub.git('show', `${head}:list.txt`)).toBe('zero\nperson\none');
    await hub.merge(number, 'squash');
    const ended = await run.ended;
    expect(ended.exitCode, ended.stderr).toBe(0);
    expect(ended.stderr).toContain('(again from a fresh head; no try is used up)');
    expect(hub.requests()).toHaveLength(1);
  },
);

test('a branch that somebody else has pushed to is never overwritten', async () => {
  await using world = await openHubWorld({
    'plan.yaml': shipping({ key: 'one', agent: writes('one.txt', '1\n') }),
  });
  const { hub, call } = world;
  await hub.set('hang-before', true);
  const run = world.start('run', 'plan.yaml');
  await hub.waitFor('hang-before.now');
  run.child.kill('SIGKILL');
  await run.ended;
  await hub.set('hang-before', false);
  const [branch = ''] = (await branchesOf(hub)).filter((name) => name.endsWith('/one'));
  const theirs = await hub.commit({ 'theirs.txt': 'x\n' }, branch);
  const again = world.start('run', '--resume');
  await expect
    .poll(async () => (await call('explain', 'one')).stdout, patience)
    .toContain(`holds ${theirs.slice(0, 9)}, which Baton did not push`);
  expect(await hub.git('rev-parse', branch)).toBe(theirs);
  const [, remove = ''] =
    /`(git push origin --delete [^`]+)`/.exec((await call('explain', 'one')).stdout) ?? [];
  await world.bench.repo.git(...remove.split(' ').slice(1));
  const { number } = await hub.sees(isOpen('one'));
  await hub.merge(number, 'merge');
  const ended = await again.ended;
  expect(ended.exitCode, ended.stderr).toBe(0);
});

test(
  'merge requests of GitLab are opened, merged and closed in the same way',
  { tags: ['long'] },
  async () => {
    await using world = await openHubWorld(
      { 'plan.yaml': shipping({ key: 'one', agent: writes('one.txt', '1\n'), max_retries: 1 }) },
      { at: 'gitlab' },
    );
    const { hub, call } = world;
    const run = world.start('run', 'plan.yaml', '--json');
    const { number } = await hub.sees(isOpen('one'));
    hub.close(number, 'Once more.');
    const again = await hub.sees((request) => isOpen('one')(request) && request.number !== number);
    const merged = await hub.merge(again.number, 'merge');
    const ended = await run.ended;
    expect(ended.exitCode, ended.stderr).toBe(0);
    expect((JSON.parse(ended.stdout) as Told).tasks).toMatchObject([{ status: 'CLOSED', commit: merged }]);
    expect((await call('pr', '--status')).stdout).toContain('https://gitlab.test/-/merge_requests/2');
    expect(hub.asked().every(([program]) => program === 'glab')).toBe(true);
  },
);

test('without a remote nothing starts, and the option that is named lands the work here', async () => {
  await using bench = await createBench({
    'plan.yaml': shipping({ key: 'one', agent: writes('one.txt', '1\n') }),
  });
  const refused = await bench.baton(['run', 'plan.yaml']);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain('error NOT_FOUND: The repository has no remote to push to.');
  const [option = ''] = /--no-pull-requests/.exec(refused.stderr) ?? [];
  expect(await bench.repo.git('branch', '--list', 'baton/*')).toBe('');
  const landed = await bench.baton(['run', 'plan.yaml', option]);
  expect(landed.exitCode, landed.stderr).toBe(0);
  const branch = await bench.repo.git('branch', '--list', '--format=%(refname:short)', 'baton/*');
  expect(await bench.repo.git('show', `${branch}:one.txt`)).toBe('1');
});
