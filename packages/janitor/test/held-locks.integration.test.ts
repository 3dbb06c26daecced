import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BatonError } from '@baton/contracts';
import { until } from '@baton/testkit';
import { landingLockFiles, removeDeadLocks, settleIntent } from '../src/index.ts';
import { candidateFor, scene } from './helpers/landing.ts';
import { sh, write } from './helpers/repos.ts';
import { git, gitEnvironment } from './helpers/run.ts';

test('a lock that a person’s git took after the holder had died stays until that git has ended, and is then removed', async () => {
  const here = await scene({ 'a.txt': 'a\n' }, { target: 'main' });
  const { user: repo, base } = here;
  const made = await candidateFor(here, { from: base, files: { 'b.txt': 'b\n' }, landingId: 'l1' });
  const lockFiles = await landingLockFiles({ git, repo, target: 'main', laneRef: here.lane.ref });
  const index = join(repo, '.git/index.lock');
  expect(lockFiles).toContain(index);

  await write(repo, { 'a.txt': 'mine\n' });
  const child = spawn('git', ['commit', '--all', '--quiet'], {
    cwd: repo,
    env: { ...gitEnvironment, GIT_EDITOR: 'read -r line <&3; false' },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await until(async () => existsSync(index) || undefined, { what: 'the person’s git holds the index' });
  let alive = true;
  const asked = new Set<string>();
  const lockHolder = ({ file, roots }: { file: string; roots: readonly string[] }): number | null => {
    for (const root of roots) asked.add(root);
    return alive && file === index ? (child.pid ?? null) : null;
  };
  const place = { git, repo, clone: here.clone, target: 'main', lockHolder };
  const intent = { fromCommit: base, candidateCommit: made.commit, holder: { lockFiles } };
  const refused: unknown = await settleIntent({ ...place, intent, holderDead: true }).catch(
    (error: unknown) => error,
  );
  expect(refused).toMatchObject({ code: 'GIT_FAILED', message: expect.stringContaining(index) });
  expect(existsSync(index)).toBe(true);
  expect([...asked]).toEqual(expect.arrayContaining([repo, join(repo, '.git')]));

  const [, command = ''] = /`(kill \d+)`/.exec(BatonError.is(refused) ? (refused.fix ?? '') : '') ?? [];
  execFileSync('/bin/sh', ['-c', command]);
  await ended;
  child.stdio[3]?.destroy(); // the editor reads from it
  alive = false;
  await removeDeadLocks({ ...place, lockFiles });
  expect(existsSync(index)).toBe(false);
  expect(await settleIntent({ ...place, intent, holderDead: true })).toBe(false);
  expect(await sh(repo, 'diff', '--name-only')).toBe('a.txt');
});
