import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { Git } from '@baton/contracts';
import { expect, test } from 'vitest';
import { inParts } from '@baton/testkit';
import { salvage, type Workspace } from '../src/index.ts';
import { commit, owner } from './support/at-work.ts';
import { exec, env, git } from './support/real.ts';
import { agentGit, workspaces } from './support/workspaces.ts';

const files = { 'a.txt': 'a\n', 'dir/b.txt': 'b\n', '.gitignore': 'out/\n' };

async function atWork() {
  const w = await workspaces(files);
  return { ...w, workspace: await w.pool.acquire({ head: w.head, owner }) };
}

type AtWork = Awaited<ReturnType<typeof atWork>>;

/** What of an attempt is in the clone, but for the attempt itself. */
async function saved({ clone }: AtWork): Promise<string[]> {
  const listed = await git(['for-each-ref', '--format=%(refname)', 'refs/baton'], { cwd: clone.path });
  const refs = listed.stdout.split('\n').filter((ref) => /refs\/baton\/(salvage|own|left-out)\//.test(ref));
  const trees = refs.map(async (ref) => {
    const shown = await git(['ls-tree', '-r', ref], { cwd: clone.path });
    return `${ref} ${shown.exitCode === 0 ? shown.stdout : (await git(['cat-file', 'blob', ref], { cwd: clone.path })).stdout}`;
  });
  return (await Promise.all(trees)).sort();
}

interface Disturbance {
  name: string;
  before?: (at: string) => void | Promise<unknown>;
  after?: (at: string) => void | Promise<unknown>;
  /** The commit gets no ref. */
  unkept?: boolean;
}

/** Lets an agent work, commits, disturbs, salvages: with or without the right to trust what was just committed. */
async function salvaged({ before, after, unkept }: Disturbance, mayTrust: boolean) {
  await using w = await atWork();
  const at = w.workspace.path;
  writeFileSync(path.join(at, 'new.txt'), 'new\n');
  writeFileSync(path.join(at, 'a.txt'), 'changed\n');
  await before?.(at);
  const { headCommit } = await commit(w.workspace, w.head);
  if (unkept !== true) await w.clone.keepAttempt({ ...owner, commit: headCommit });
  await after?.(at);
  const ref = await salvage(w.workspace, { ...owner, ...(mayTrust ? { tools: { exec, env } } : {}) });
  const { head, unsaved } = w.workspace.state;
  return { ref, head, unsaved, saved: await saved(w) };
}

const write = (file: string, text: string) => (at: string) => {
  mkdirSync(path.dirname(path.join(at, file)), { recursive: true });
  writeFileSync(path.join(at, file), text);
};

/** Writes a file and gives it back its times, as a program that wants to hide it would. */
const rewrite = (file: string, text: string) => (at: string) => {
  const { atime, mtime } = statSync(path.join(at, file));
  writeFileSync(path.join(at, file), text);
  utimesSync(path.join(at, file), atime, mtime);
};

const disturbances: Disturbance[] = [
  { name: 'nothing' },
  { name: 'a new file', after: write('late.txt', 'late\n') },
  { name: 'a new file deep in a folder', after: write('dir/deep/late.txt', 'late\n') },
  { name: 'an ignored file', after: write('out/built', 'x') },
  { name: 'an ignored file that was there', before: write('out/built', 'x') },
  { name: 'a file of as many bytes and its old times', after: rewrite('new.txt', 'NEW\n') },
  { name: 'a file that is gone', after: (at) => rmSync(path.join(at, 'dir/b.txt')) },
  {
    name: 'a file under another name',
    after: (at) => renameSync(path.join(at, 'a.txt'), path.join(at, 'z.txt')),
  },
  { name: 'a program', after: (at) => chmodSync(path.join(at, 'a.txt'), 0o755) },
  { name: 'an empty folder', after: (at) => void mkdirSync(path.join(at, 'hollow')) },
  { name: 'an empty folder that was there', before: (at) => void mkdirSync(path.join(at, 'hollow')) },
  { name: 'a link that leads out', after: (at) => symlinkSync('/etc/hostname', path.join(at, 'link')) },
  {
    name: 'a link that leads out and was committed',
    before: (at) => symlinkSync('/etc', path.join(at, 'link')),
  },
  { name: 'a pipe', after: (at) => void execFileSync('mkfifo', [path.join(at, 'pipe')]) },
  { name: 'a pipe that was there', before: (at) => void execFileSync('mkfifo', [path.join(at, 'pipe')]) },
  { name: 'a nested repository', before: (at) => agentGit(at, 'init', '--quiet', 'nested') },
  {
    name: 'line ends that attributes convert',
    before: async (at) => {
      write('.gitattributes', '*.bat text eol=crlf\n')(at);
      write('x.bat', 'a\r\nb\n')(at);
    },
  },
  {
    name: 'a commit of its own',
    before: async (at) => {
      await agentGit(at, 'add', '.');
      await agentGit(at, '-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qm', 'own');
    },
  },
  {
    name: 'a later commit of its own',
    after: async (at) => {
      write('own.txt', 'own\n')(at);
      await agentGit(at, 'add', '.');
      await agentGit(at, '-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qm', 'own');
    },
  },
  {
    name: 'staged content that is nowhere else',
    after: async (at) => {
      const lost = path.join(at, 'a.txt');
      const content = readFileSync(lost);
      writeFileSync(lost, 'staged only\n');
      await agentGit(at, 'add', 'a.txt');
      writeFileSync(lost, content);
    },
  },
  { name: 'a file in the git folder', after: write('.git/notes-of-mine', 'patch\n') },
  { name: 'another git folder', after: (at) => rmSync(path.join(at, '.git'), { recursive: true }) },
  { name: 'a commit that no ref keeps', unkept: true },
];

for (const [cases, tagged] of inParts(9, disturbances))
  test.each(cases)(
    'a salvage after a commit saves the same with and without trust: $name',
    tagged,
    async (each) => {
      expect(await salvaged(each, true)).toEqual(await salvaged(each, false));
    },
  );

/** Git processes of a salvage. */
async function processesOf(
  workspace: Workspace,
  act: (counted: Workspace) => Promise<unknown>,
): Promise<string[][]> {
  const asked: string[][] = [];
  const counted: Git = (args, options) => {
    asked.push([...args]);
    return git(args, options);
  };
  Object.assign(workspace.clone, { git: counted });
  await act(workspace);
  return asked;
}

test('what was just committed is not looked through again', async () => {
  await using w = await atWork();
  write('new.txt', 'new\n')(w.workspace.path);
  const { headCommit } = await commit(w.workspace, w.head);
  await w.clone.keepAttempt({ ...owner, commit: headCommit });
  const asked = await processesOf(w.workspace, () =>
    salvage(w.workspace, { ...owner, tools: { exec, env } }),
  );
  expect(asked.filter(([command]) => command !== 'rev-parse')).toEqual([]);
  expect(w.workspace.state.head).toBeNull();
  // Only once: whatever comes later is another matter.
  const again = await processesOf(w.workspace, () =>
    salvage(w.workspace, { ...owner, tools: { exec, env } }),
  );
  expect(again.length).toBeGreaterThan(5);
});
