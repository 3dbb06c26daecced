import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';
import { createWorkspacePool } from '../src/index.ts';
import { atWork, commit, owner } from './support/at-work.ts';
import { agentGit } from './support/workspaces.ts';

/** Every file below a tree, but for its git folder, with its bytes. */
function contentOf(tree: string): Record<string, string> {
  const entries = readdirSync(tree, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(tree, path.join(entry.parentPath, entry.name)))
    .filter((file) => !file.startsWith('.git/'));
  return Object.fromEntries(
    files.sort().map((file) => [file, readFileSync(path.join(tree, file), 'latin1')]),
  );
}

type Worktrees = Awaited<ReturnType<typeof atWork>>;

const base = { 'crlf.bat': 'a\nb\n', 'id.txt': '$Id$\n', 'src/deep/c.txt': 'three\n', '.mailmap': '' };
const standing = { '.gitattributes': '*.bat text eol=crlf\nid.txt ident\n' };

const cases: Readonly<Record<string, (w: Worktrees, at: string) => Promise<unknown>>> = {
  'attributes of its own, committed with line ends that they convert': async (w, at) => {
    appendFileSync(path.join(at, '.gitattributes'), '* text=auto\n');
    await agentGit(at, 'add', '.gitattributes');
    await agentGit(at, 'commit', '-qm', 'attributes');
    writeFileSync(path.join(at, 'src/deep/c.txt'), 'three\r\n');
    await commit(w.workspace, w.head);
  },
  'line ends that are committed as they were': async (w, at) => {
    writeFileSync(path.join(at, 'crlf.bat'), 'a\nb\r\n');
    writeFileSync(path.join(at, 'src/a.txt'), 'edited\n');
    await commit(w.workspace, w.head);
  },
  'an id in place of a placeholder': async (w, at) => {
    writeFileSync(path.join(at, 'id.txt'), '$Id: mine $\n');
    await commit(w.workspace, w.head);
  },
  'attributes that git does not know, in a folder in which it edited': (_, at) => {
    writeFileSync(path.join(at, 'src/.gitattributes'), '*.txt text eol=crlf\n');
    for (const name of ['a.txt', 'deep/c.txt']) writeFileSync(path.join(at, 'src', name), 'edited\n');
    return Promise.resolve();
  },
  'ignored attributes in a folder that is new': (_, at) => {
    mkdirSync(path.join(at, 'src/deep/out'), { recursive: true });
    writeFileSync(path.join(at, 'src/deep/.gitattributes'), '* ident\n*.txt eol=crlf\n');
    appendFileSync(path.join(at, '.gitignore'), '.gitattributes\n');
    writeFileSync(path.join(at, 'src/deep/c.txt'), 'edited\n');
    return Promise.resolve();
  },
};

test.each(Object.entries(cases))(
  'the next task finds the bytes of a new worktree after an agent left %s',
  async (_, act) => {
    await using w = await atWork({ ...base, ...standing });
    await act(w, w.workspace.path);
    await w.pool.release(w.workspace);
    await expectAsNew(w, w.head);
  },
);

test('a worktree that moves to a commit with other attributes has the bytes of a new one', async () => {
  await using w = await atWork(base);
  await w.pool.release(w.workspace);
  for (const attributes of [
    '*.txt text eol=crlf\n',
    'src/** -text\n',
    '*.bat text eol=crlf\nid.txt ident\n',
  ]) {
    await w.repo.commit({ '.gitattributes': attributes }, 'attributes');
    await expectAsNew(w, await w.clone.fetchTarget('main'));
  }
  await w.repo.commit({ 'src/deep/.gitattributes': '* text eol=crlf\n' }, 'attributes of a folder');
  await expectAsNew(w, await w.clone.fetchTarget('main'));
  await w.repo.commit({ 'src/deep/.gitattributes': null }, 'none');
  await expectAsNew(w, await w.clone.fetchTarget('main'));
});

/** Compares what the pool hands out with what a pool does that has no worktree yet. */
async function expectAsNew(w: Worktrees, head: string): Promise<void> {
  const used = await w.pool.acquire({ head, owner });
  const unused = createWorkspacePool({ ...w.poolOptions, dir: path.join(w.state.path, 'pools', head) });
  const made = await unused.acquire({ head, owner: null });
  expect(used.path).toBe(w.workspace.path);
  expect(contentOf(used.path)).toEqual(contentOf(made.path));
  expect(await agentGit(used.path, 'status', '--porcelain')).toBe('');
  await unused.close();
  await w.pool.release(used);
}

test.each([true, false])(
  'what lies behind a link in place of a folder stays as it is (committed: %s)',
  async (isDone) => {
    await using w = await atWork(base);
    await using outside = await tempDir();
    mkdirSync(path.join(outside.path, 'deep'));
    const names = ['.gitignore', 'deep/.gitattributes', 'deep/.gitmodules'];
    for (const name of names) execFileSync('mkfifo', [path.join(outside.path, name)]);
    for (const name of ['a.txt', '.gitattributes']) writeFileSync(path.join(outside.path, name), 'own\n');
    rmSync(path.join(w.workspace.path, 'src'), { recursive: true });
    symlinkSync(outside.path, path.join(w.workspace.path, 'src'));
    if (isDone) await commit(w.workspace, w.head);
    await w.pool.release(w.workspace);
    await expectAsNew(w, w.head);
    const left = readdirSync(outside.path, { recursive: true }).sort();
    expect(left).toEqual([...names, '.gitattributes', 'a.txt', 'deep'].sort());
  },
);
