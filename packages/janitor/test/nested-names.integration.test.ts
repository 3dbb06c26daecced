import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { prepareTarget } from '../src/index.ts';
import { candidateFor, land, scene, takeLane } from './helpers/landing.ts';
import { sh } from './helpers/repos.ts';
import { git } from './helpers/run.ts';

test.each([
  ['a', 'a/b'],
  ['a/b/c', 'a'],
])(
  'work lands on a branch in whose place, or below whose name, another target was: %s, then %s',
  async (first, then) => {
    const here = await scene({ 'a.txt': 'a\n' }, { target: first });
    await sh(here.user, 'branch', '-D', first);
    await sh(here.user, 'branch', then, here.base);
    const lane = await takeLane({ repo: here.user, target: then, epoch: 1 });
    const { commit } = await candidateFor(here, {
      from: here.base,
      files: { 'b.txt': 'b\n' },
      landingId: 'l1',
    });
    expect(
      (await land({ ...here, target: then }, { from: here.base, to: commit, landingId: 'l1', lane })).kind,
    ).toBe('moved');
    expect((await land(here, { from: here.base, to: commit, landingId: 'l1' })).kind).toBe('lane_lost');
  },
);

test('on a remote, too, the lane of a former target is not in the way of a new one', async () => {
  const here = await scene({ 'a.txt': 'a\n' });
  const bare = join(here.folder, 'remote.git');
  await sh(here.folder, 'clone', '--quiet', '--bare', here.user, bare);
  const place = { repo: pathToFileURL(bare).href, clone: here.clone };
  await sh(bare, 'branch', 'x/y', here.base);
  const { ref } = await takeLane({ ...place, target: 'x/y', epoch: 1 });
  await sh(bare, 'branch', '-D', 'x/y');
  await expect(takeLane({ ...place, target: 'x', epoch: 1 })).rejects.toMatchObject({ code: 'GIT_FAILED' });
  await sh(bare, 'branch', 'x', here.base);
  await takeLane({ ...place, target: 'x', epoch: 1 });
  expect(await sh(bare, 'for-each-ref', '--format=%(refname)', ref)).toBe('');
});

test('a branch in whose place a folder of branches is wanted is named, with the command that renames it', async () => {
  const here = await scene({ 'a.txt': 'a\n' });
  await sh(here.user, 'branch', 'baton', here.base);
  const preparing = () => prepareTarget({ git, repo: here.user, target: 'baton/run', startPoint: here.base });
  const refused = (await preparing().catch((error: unknown) => error)) as { fix: string };
  const [, command = ''] = /`([^`]+)`/.exec(refused.fix) ?? [];
  expect(command).toBe('git branch -m baton baton-before');
  execFileSync('sh', ['-c', command], { cwd: here.user });
  expect(await preparing()).toMatchObject({ created: true });
});
