import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { createRepo, tempDir, type TestRepo } from '@baton/testkit';
import { expect, test } from 'vitest';
import { commitTask } from '../src/index.ts';
import { createWorkspacePool } from '../src/index.ts';
import { clone as cloneOf } from './support/places.ts';
import { clock, env, exec, git, quietLog } from './support/real.ts';
import { agentGit } from './support/workspaces.ts';

/** A repository with five commits, and a shallow clone of it. */
async function shallowPlace() {
  const stack = new AsyncDisposableStack();
  const origin: TestRepo = stack.use(await createRepo({ 'a.txt': '0\n' }));
  for (const text of ['1', '2', '3', '4']) await origin.commit({ 'a.txt': `${text}\n` }, text);
  const folder = stack.use(await tempDir());
  const where = path.join(folder.path, 'shallow');
  await agentGit(folder.path, 'clone', '--quiet', '--depth=1', `file://${origin.path}`, where);
  return {
    origin,
    where,
    state: path.join(folder.path, 'state'),
    /** What CI does between two runs on a machine that stays. */
    async again(...depth: string[]) {
      await agentGit(where, 'fetch', '--quiet', ...depth, 'origin', 'main');
      await agentGit(where, 'reset', '--quiet', '--hard', 'FETCH_HEAD');
      return agentGit(where, 'rev-parse', 'HEAD');
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

test('a shallow repository may be fetched again at another depth, deepened and made whole between two fetches', async () => {
  await using place = await shallowPlace();
  const clone = await cloneOf(place.where, place.state);
  // A second process that had opened the clone before: what the first one fetches is no tampering to it.
  const beside = await cloneOf(place.where, place.state);
  expect(await clone.fetchTarget('main')).toBe(await place.again('--depth=1'));
  for (const [text, ...depth] of [
    ['5', '--depth=1'],
    ['6', '--depth=1'],
    ['7', '--depth=3'],
    ['8', '--deepen=1'],
    ['9', '--unshallow'],
    ['10', '--depth=1'],
  ] as const) {
    await place.origin.commit({ 'a.txt': `${text}\n` }, text);
    const head = await place.again(...depth);
    expect(await clone.fetchTarget('main'), depth.join()).toBe(head);
    expect(await clone.restore(), depth.join()).toEqual([]);
    expect(await beside.restore(), depth.join()).toEqual([]);
    const log = await git(['log', '--format=%s', head], { cwd: clone.path });
    expect(log.exitCode, log.stderr).toBe(0);
  }
  const later = await cloneOf(place.where, place.state);
  expect(await later.restore()).toEqual([]);
  expect((await git(['fsck', '--connectivity-only'], { cwd: clone.path })).exitCode).toBe(0);
});

test('a line that somebody plants in the shallow file of the clone is put back, in a shallow clone and in a whole one', async () => {
  await using place = await shallowPlace();
  const whole = path.join(place.state, 'whole');
  for (const [location, state] of [
    [place.where, place.state],
    [place.origin.path, whole],
  ] as const) {
    const clone = await cloneOf(location, state);
    const head = await clone.fetchTarget('main');
    const file = path.join(clone.path, 'shallow');
    const before = existsSync(file) ? readFileSync(file, 'utf8') : null;
    const now = (): string | null => (existsSync(file) ? readFileSync(file, 'utf8') : null);
    appendFileSync(file, `${'1'.repeat(40)}\n`);
    expect(await clone.restore()).toEqual(['shallow']);
    expect(now()).toBe(before);
    rmSync(file, { force: true });
    symlinkSync('/etc/passwd', file);
    expect(await clone.restore()).toEqual(['shallow']);
    rmSync(file, { force: true });
    mkdirSync(file);
    writeFileSync(path.join(file, 'x'), '');
    expect((await cloneOf(location, state)).path).toBe(clone.path);
    expect(now()).toBe(before);
    expect(await clone.resolve(head)).toBe(head);
  }
});

test('an agent in a shallow repository sees its history and may commit', async () => {
  await using place = await shallowPlace();
  const clone = await cloneOf(place.where, place.state);
  const head = await clone.fetchTarget('main');
  const pool = createWorkspacePool({
    ...{ git, exec, clone, env, clock, setup: null, log: quietLog, purpose: 'agent' },
    dir: path.join(place.state, 'pools'),
    sourceRoot: place.where,
  });
  const workspace = await pool.acquire({ head, owner: { taskId: 't1', fence: 1 } });
  expect(await agentGit(workspace.path, 'log', '--format=%s')).toBe('4');
  writeFileSync(path.join(workspace.path, 'a.txt'), 'agent\n');
  await agentGit(workspace.path, 'commit', '-qam', 'by the agent');
  const made = await commitTask(workspace, { git, startCommit: head, message: 'm', trailers: {} });
  expect(made.changedPaths).toEqual(['a.txt']);
  expect(await clone.isAncestor(head, made.headCommit)).toBe(true);
  await pool.close();
});
