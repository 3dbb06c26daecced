import { chmodSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { seededRandom, testRounds } from '@baton/testkit';
import type { Git } from '@baton/contracts';
import { expect, test } from 'vitest';
import { commit, owner } from './support/at-work.ts';
import { exec, env, git } from './support/real.ts';
import { workspaces } from './support/workspaces.ts';

const start = {
  'a.txt': 'a\n',
  'dir/b.txt': 'b\n',
  'dir/deep/c.txt': 'c\n',
  'other/d.bin': Buffer.from([0, 1, 2, 13, 10]),
  'crlf.bat': 'x\n',
  '.gitattributes': '*.bat text eol=crlf\n',
  '.gitignore': 'out/\n',
};
const names = [
  'a.txt',
  'dir',
  'dir/b.txt',
  'dir/deep',
  'dir/new ö.txt',
  'other/d.bin',
  'new',
  'new/x',
  'out/y',
  'crlf.bat',
  '"q"',
  'link',
];

/** Does something to a tree, whatever is in it. */
function change(at: string, random: () => number): void {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const file = path.join(at, pick(names));
  const kind = pick(['write', 'write', 'write', 'crlf', 'remove', 'link', 'mode', 'empty']);
  // What is in the place of one of its folders goes first: nothing is written or removed through a link.
  const parts = path.relative(at, path.dirname(file)).split('/');
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const above = path.join(at, ...parts.slice(0, depth));
    if (lstatSync(above, { throwIfNoEntry: false })?.isDirectory() === false) rmSync(above);
  }
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (kind === 'mode') {
    if (stat?.isFile() === true) chmodSync(file, 0o755);
    return;
  }
  rmSync(file, { recursive: true, force: true });
  if (kind === 'remove') return;
  mkdirSync(path.dirname(file), { recursive: true });
  if (kind === 'link') symlinkSync(pick(['a.txt', 'dir', '/nonexistent', 'gone']), file);
  else
    writeFileSync(
      file,
      kind === 'crlf' ? `${Math.floor(random() * 9)}\r\n` : kind === 'empty' ? '' : `${random()}\n`,
    );
}

test('a name that git refuses is refused with its own words', async () => {
  await using w = await workspaces(start);
  const workspace = await w.pool.acquire({ head: w.head, owner });
  writeFileSync(path.join(workspace.path, 'GIT~1'), 'x\n');
  await expect(commit(workspace, w.head)).rejects.toThrow(/GIT~1: .*invalid path/);
});

test('a tree with a few changes is committed as `git add --all` would stage it', async () => {
  const random = seededRandom(5);
  let listed = 0;
  const rounds = testRounds({ short: 4, full: 14 });
  for (let round = 0; round < rounds; round += 1) {
    await using w = await workspaces(start);
    const workspace = await w.pool.acquire({ head: w.head, owner });
    for (let times = 0; times <= round % 4; times += 1) change(workspace.path, random);
    const copy = `${workspace.path}.copy`;
    const run = async (argv: [string, ...string[]], cwd: string, more: Record<string, string> = {}) => {
      const ended = await exec(argv, { cwd, env: { ...env, ...more }, timeoutMs: 60_000 });
      expect(ended.exitCode, `${argv.join(' ')}: ${ended.stderr}`).toBe(0);
      return ended.stdout.trim();
    };
    await run(['cp', '-a', workspace.path, copy], '/');
    const asked: string[] = [];
    const counted: Git = (args, options) => {
      asked.push(args.join(' '));
      return git(args, options);
    };
    Object.assign(w.clone, { git: counted });
    const { headCommit } = await commit(workspace, w.head);
    const index = { GIT_INDEX_FILE: `${copy}.index` };
    const own = ['git', '--git-dir', w.clone.path, '--work-tree', copy] as [string, ...string[]];
    await run([...own, 'read-tree', w.head], copy, index);
    await run([...own, 'add', '--all', '.'], copy, index);
    const wanted = await run([...own, 'write-tree'], copy, index);
    const made = await git(['rev-parse', `${headCommit}^{tree}`], { cwd: w.clone.path });
    expect(made.stdout.trim(), `round ${round}`).toBe(wanted);
    if (!asked.some((command) => command.includes(' add --all'))) listed += 1;
  }
  expect(listed).toBeGreaterThan(rounds / 3);
  expect(listed).toBeLessThan(rounds);
}, 120_000);
