import { appendFileSync, chmodSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { WorkspaceSetup } from '@baton/contracts';
import { asideObjects, commitTask, presentTree, startTask } from '../src/index.ts';
import { git } from './support/real.ts';
import { agentGit, workspaces } from './support/workspaces.ts';

const odd = {
  'crlf.txt': 'a\r\nb\r\n',
  'mixed.bat': 'a\r\nb\n',
  'id.c': '$Id: of another day $\n',
  'plain.txt': 'plain\n',
};
const attributes = '*.txt text\n*.bat text eol=crlf\n*.c ident\n';

/** A worktree of a repository whose files were committed in another form than the attributes that came later ask for. */
async function place({
  isFresh = false,
  setup = null,
}: { isFresh?: boolean; setup?: WorkspaceSetup | null } = {}) {
  const w = await workspaces(odd, setup);
  await w.repo.write({ '.gitattributes': attributes });
  await w.repo.git('add', '.gitattributes');
  await w.repo.git('commit', '--quiet', '-m', 'attributes');
  const head = await w.clone.fetchTarget('main');
  const workspace = await w.pool.acquire({ head, owner: null });
  const owner = { taskId: '0190cafe-0000-7000-8000-000000000001', fence: 1 };
  const { startCommit } = await startTask(workspace, { head, owner });
  const at = (name: string) => path.join(workspace.path, name);
  // As where git cannot tell by times whether a file was written.
  for (const name of isFresh ? [] : Object.keys(odd)) utimesSync(at(name), 1_700_000_000, 1_700_000_000);
  const end = async () => {
    const { changedPaths } = await commitTask(workspace, { git, startCommit, message: 'work', trailers: {} });
    return [...changedPaths].sort();
  };
  return { ...w, workspace, at, end, [Symbol.asyncDispose]: () => w[Symbol.asyncDispose]() };
}

test('files that no agent wrote are no work, though git calls them changed for what attributes ask', async () => {
  await using p = await place();
  expect((await agentGit(p.workspace.path, 'diff', '--name-only')).split('\n')).toContain('crlf.txt');
  writeFileSync(p.at('new.txt'), 'new\n');
  expect(await p.end()).toEqual(['new.txt']);
  appendFileSync(p.at('new.txt'), 'more\n');
  expect(await p.end()).toEqual(['new.txt']);
});

test('so it is beside a repository that a tool made, and an attempt that does nothing is empty', async () => {
  await using p = await place();
  expect(await p.end()).toEqual([]);
  mkdirSync(p.at('tool'));
  await agentGit(p.at('tool'), 'init', '--quiet');
  writeFileSync(p.at('tool/made.txt'), 'made\n');
  expect(await p.end()).toEqual(['tool/made.txt']);
});

test('what an agent wrote of such files is its work, as git converts it', async () => {
  await using p = await place();
  appendFileSync(p.at('crlf.txt'), 'c\r\n');
  writeFileSync(p.at('mixed.bat'), readFileSync(p.at('mixed.bat'), 'utf8').replace('a', 'x'));
  chmodSync(p.at('id.c'), 0o755);
  expect(await p.end()).toEqual(['crlf.txt', 'id.c', 'mixed.bat']);
});

test.each(['left', 'committed'])('attributes that the agent %s convert all files, as in git', async (how) => {
  await using p = await place();
  appendFileSync(p.at('.gitattributes'), '*.md text\n');
  if (how === 'committed') {
    await agentGit(p.workspace.path, 'add', '.gitattributes');
    await agentGit(p.workspace.path, 'commit', '--quiet', '-m', 'attributes');
  }
  expect(await p.end()).toEqual(['.gitattributes', 'crlf.txt', 'id.c', 'mixed.bat']);
});

test('git of an agent calls no file of a fresh checkout changed, so that what it adds and commits is its work alone', async () => {
  await using p = await place({ isFresh: true });
  expect(await agentGit(p.workspace.path, 'status', '--porcelain')).toBe('');
  writeFileSync(p.at('new.txt'), 'new\n');
  const scratch = path.join(p.state.path, 'scratch');
  const look = { clone: p.clone, worktree: p.workspace.path, scratch };
  const seen = await presentTree({ ...look, env: asideObjects(p.clone, path.join(scratch, 'objects')) });
  await agentGit(p.workspace.path, 'add', '-A');
  await agentGit(p.workspace.path, 'commit', '--quiet', '-m', 'own');
  expect(await agentGit(p.workspace.path, 'rev-parse', 'HEAD^{tree}')).toBe(seen?.tree);
  expect(await p.end()).toEqual(['new.txt']);
});

test('so it is after a set-up that writes such a file, and in the next task of the same worktree', async () => {
  const setup = { setup: ['sh', '-c', 'echo x > mixed.bat'], setup_timeout: 60_000, symlink: [], copy: [] };
  await using p = await place({ isFresh: true, setup });
  expect(await agentGit(p.workspace.path, 'status', '--porcelain')).toBe('');
  await p.repo.write({ 'crlf.txt': 'a\r\nb\r\nc\r\n' });
  const tree = (await p.repo.git('hash-object', '-w', '--no-filters', 'crlf.txt')).trim();
  await p.repo.git('update-index', '--cacheinfo', `100644,${tree},crlf.txt`);
  await p.repo.git('commit', '--quiet', '-m', 'more');
  await startTask(p.workspace, { head: await p.clone.fetchTarget('main') });
  await agentGit(p.workspace.path, 'add', '-A');
  expect(await agentGit(p.workspace.path, 'status', '--porcelain')).toBe('');
});

test('an edit in the first moment, of the same size and in place, is seen', async () => {
  await using p = await place({ isFresh: true });
  writeFileSync(p.at('plain.txt'), 'PLAIN\n');
  writeFileSync(p.at('crlf.txt'), 'x\r\nb\r\n');
  expect(await agentGit(p.workspace.path, 'diff', '--name-only')).toBe('crlf.txt\nplain.txt');
  expect(await p.end()).toEqual(['crlf.txt', 'plain.txt']);
});
