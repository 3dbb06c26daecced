import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';
import { listLeftOut, listSalvage } from '../src/index.ts';
import { bounded } from '../src/tree/left-out-record.ts';
import { atWork, commit, owner, ref } from './support/at-work.ts';
import { agentGit, show } from './support/workspaces.ts';

const listRef = 'refs/baton/left-out/task-9/2';

test('what only patterns of the agent exclude is saved, or named where it is too much, although the task commits', async () => {
  await using w = await atWork();
  const at = w.workspace.path;
  writeFileSync(path.join(at, '.gitignore'), 'out/\nown/\nmany/\n');
  for (const folder of ['out', 'own', 'many', 'cache']) mkdirSync(path.join(at, folder));
  writeFileSync(path.join(at, 'cache/.gitignore'), '*\n');
  for (const file of ['out/built', 'own/notes.txt', 'cache/kept'])
    writeFileSync(path.join(at, file), `${file}\n`);
  for (let n = 0; n <= 1_000; n += 1) writeFileSync(path.join(at, `many/${n}`), '');
  const { headCommit } = await commit(w.workspace, w.head);
  await w.clone.keepAttempt({ ...owner, commit: headCommit });
  expect(await w.pool.release(w.workspace)).toBe(ref);
  expect(await show(w.clone, ref, 'own/notes.txt')).toBe('own/notes.txt\n');
  expect(await show(w.clone, ref, 'cache/kept')).toBe('cache/kept\n');
  const [list] = await listLeftOut(w.clone, 'task-9');
  expect(list).toEqual({
    ...{ ...owner, ref: listRef },
    leftOut: [
      { file: 'many/', reason: 'ignored', detail: 'by a pattern that its agent wrote; too much to be saved' },
      { file: 'out/', reason: 'ignored' },
    ],
  });
  const [saved] = await listSalvage(w.clone, 'task-9');
  expect(saved?.leftOut).toEqual(list?.leftOut);
});

test('what the repository excludes is named in a ref although nothing else was left, by names that are exact', async () => {
  await using w = await atWork();
  const at = w.workspace.path;
  mkdirSync(path.join(at, 'out'));
  execFileSync('mkfifo', [path.join(at, 'src/"pipe"'), path.join(at, '"pipe')]);
  execFileSync('sh', ['-c', `mkfifo "$(printf '${at}/src/out\\377')"`]);
  writeFileSync(path.join(at, 'out/built'), 'x');
  const { empty } = await commit(w.workspace, w.head);
  expect(empty).toBe(true);
  expect(await w.pool.release(w.workspace)).toBeNull();
  expect(await listSalvage(w.clone)).toEqual([]);
  const [list] = await listLeftOut(w.clone);
  expect(list?.leftOut.map(({ file, reason }) => `${reason} ${file}`).sort()).toEqual([
    'ignored out/',
    'special "\\042pipe"',
    'special "src/out\\377"',
    'special src/"pipe"',
  ]);
});

test('bytes that attributes convert are saved where a checkout would not bring them back', async () => {
  for (const [content, kept] of [
    ['a\r\nb\r\n', null],
    ['a\r\nb\n', ref],
  ] as const) {
    await using w = await atWork();
    writeFileSync(path.join(w.workspace.path, 'new.bat'), content);
    const { headCommit } = await commit(w.workspace, w.head);
    await w.clone.keepAttempt({ ...owner, commit: headCommit });
    expect(await w.pool.release(w.workspace)).toBe(kept);
    if (kept !== null) expect(await show(w.clone, kept, 'new.bat')).toBe(content);
  }
});

test('a change of line ends that git takes for none is saved when the agent is killed', async () => {
  await using w = await atWork({ 'x.bat': 'a\r\nb\r\n' });
  writeFileSync(path.join(w.workspace.path, 'x.bat'), 'a\nb\r\n');
  expect(await w.pool.release(w.workspace)).toBe(ref);
  expect(await show(w.clone, ref, 'x.bat')).toBe('a\nb\r\n');
});

test('a file that git would read for hours is refused at once, and its worktree set aside', async () => {
  await using w = await atWork();
  const hole = path.join(w.workspace.path, 'hole');
  writeFileSync(hole, '');
  truncateSync(hole, 100 * 1024 ** 3);
  await expect(commit(w.workspace, w.head)).rejects.toMatchObject({
    code: 'WORK_NOT_COMMITTABLE',
    message: expect.stringContaining('hole: it is larger than 2 GB') as string,
  });
  await w.pool.release(w.workspace);
  const [aside] = await listSalvage(w.clone, 'task-9');
  expect(aside).toMatchObject({ kind: 'set-aside', leftOut: [{ file: 'hole', reason: 'large' }] });
  expect((await listLeftOut(w.clone))[0]?.leftOut).toMatchObject([{ file: 'hole', reason: 'large' }]);
  rmSync(aside?.path ?? expect.fail(), { recursive: true });
}, 60_000);

test('a file in place of a folder that a sparse checkout emptied is committed', async () => {
  await using w = await atWork();
  const at = w.workspace.path;
  await agentGit(at, 'sparse-checkout', 'set', '--no-cone', '/run.ps1');
  rmSync(path.join(at, 'src'), { recursive: true, force: true });
  writeFileSync(path.join(at, 'src'), 'now a file\n');
  const { headCommit } = await commit(w.workspace, w.head);
  expect(await show(w.clone, headCommit, 'src')).toBe('now a file\n');
});

test('a link in place of a folder that a sparse checkout emptied is committed', async () => {
  await using w = await atWork();
  const at = w.workspace.path;
  await using outside = await tempDir();
  await agentGit(at, 'sparse-checkout', 'set', '--no-cone', '/run.ps1');
  rmSync(path.join(at, 'src'), { recursive: true, force: true });
  symlinkSync(outside.path, path.join(at, 'src'));
  const { headCommit } = await commit(w.workspace, w.head);
  expect(await show(w.clone, headCommit, 'src')).toBe(outside.path);
});

test('a list beyond its limits names the folders that the rest lies in', () => {
  const file = (name: string) => ({ file: name, reason: 'ignored' as const });
  const all = [file('a'), file('b/1'), file('b/2'), file('c')];
  expect(bounded(all, { entries: 2, bytes: 1_000 })).toEqual([
    ...[file('a'), file('b/1')],
    ...[
      { ...file('b/'), detail: '1 more names in it' },
      { ...file('./'), detail: '1 more names in it' },
    ],
  ]);
  expect(bounded(all, { entries: 4, bytes: 1_000 })).toEqual(all);
  expect(bounded(all, { entries: 1, bytes: 0 })).toEqual([{ ...file('./'), detail: '4 more names in it' }]);
});
