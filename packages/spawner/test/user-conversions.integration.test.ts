import { execFileSync } from 'node:child_process';
import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { createRepo, tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';

import { createExec, createGit, inspectRepository } from '../src/index.ts';

const clock = { now: () => new Date(), monotonicMs: () => performance.now() };
const filter = '[filter "demo"]\n\tclean = sed s/BIG/PTR/\n\tsmudge = sed s/PTR/BIG/\n\trequired\n';
const attributes = '*.bin filter=demo\n';

/** A checkout that its owner made with these settings of theirs, all files touched since. */
async function checkout(settings: string, { tracked = attributes }: { tracked?: string } = {}) {
  const stack = new AsyncDisposableStack();
  const home = stack.use(await tempDir());
  const repo = stack.use(await createRepo({ 'a.bin': 'PTR\n', 'b.txt': 'b\n', '.gitattributes': tracked }));
  for (const name of ['attributes', '.attributes.mine'])
    await writeFile(path.join(home.path, name), attributes);
  await writeFile(path.join(home.path, 'more'), filter);
  await writeFile(path.join(home.path, '.gitconfig'), settings.replaceAll('HOME', home.path));
  const env = { PATH: process.env['PATH'] ?? '', HOME: home.path };
  const at = path.join(home.path, 'jobs', 'clone');
  execFileSync('git', ['clone', '--quiet', repo.path, at], { env });
  const later = new Date(Date.now() + 10_000);
  for (const file of ['a.bin', 'b.txt']) await utimes(path.join(at, file), later, later);
  const git = createGit({ exec: createExec({ clock }), env });
  return { at, git, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test.each([
  ['a filter of their own', filter, {}],
  ['ends of line', '[core]\n\tautocrlf = true\n', { tracked: '# none\n' }],
  ['ends of line by attributes', '[core]\n\teol = crlf\n', { tracked: '* text=auto\n' }],
  ['a file of attributes', `[core]\n\tattributesFile = HOME/attributes\n${filter}`, { tracked: '# none\n' }],
  [
    'names that hold dots',
    `[core]\n\tattributesFile = HOME/.attributes.mine\n${filter.replace('sed s/BIG', 'sed -e s/a.b/a.b/ -e s/BIG')}`,
    { tracked: '# none\n' },
  ],
  ['settings for this folder', '[includeIf "gitdir:HOME/jobs/"]\n\tpath = HOME/more\n', {}],
])(
  'a checkout that its user converts with %s has no changes until it is edited',
  async (_, settings, options) => {
    await using here = await checkout(settings, options);
    expect((await inspectRepository({ git: here.git, path: here.at })).dirtyFiles).toEqual([]);
    await writeFile(path.join(here.at, 'b.txt'), 'edited\n');
    expect((await inspectRepository({ git: here.git, path: here.at })).dirtyFiles).toEqual(['b.txt']);
  },
);

test('a command on the files of a checkout converts them as its user does, and takes nothing else from their settings', async () => {
  const others = '[alias]\n\thello = version\n[diff]\n\texternal = false\n[user]\n\tname = Ada\n';
  await using here = await checkout(`${filter}${others}`);
  const run = (userFiles: boolean, ...args: string[]) => here.git(args, { cwd: here.at, userFiles });
  await run(false, 'checkout', '--quiet', '--force', 'HEAD~0');
  await writeFile(path.join(here.at, 'a.bin'), 'other\n');
  expect((await run(true, 'checkout', '--quiet', '--', 'a.bin')).exitCode).toBe(0);
  expect(await readFile(path.join(here.at, 'a.bin'), 'utf8')).toBe('BIG\n');
  await writeFile(path.join(here.at, 'a.bin'), 'other\n');
  expect((await run(false, 'checkout', '--quiet', '--', 'a.bin')).exitCode).toBe(0);
  expect(await readFile(path.join(here.at, 'a.bin'), 'utf8')).toBe('PTR\n');
  expect((await run(true, 'hello')).exitCode).toBe(1);
  expect((await run(true, 'config', 'user.name')).stdout).toBe('');
});

test('a setting of the repository outranks that of its user', async () => {
  await using here = await checkout('[core]\n\tautocrlf = true\n', { tracked: '# none\n' });
  execFileSync('git', ['-C', here.at, 'config', 'core.autocrlf', 'false']);
  await writeFile(path.join(here.at, 'b.txt'), 'b\r\n');
  expect((await inspectRepository({ git: here.git, path: here.at })).dirtyFiles).toContain('b.txt');
});

test('what merges is the same on every machine: attributes in the home of the user decide nothing', async () => {
  await using here = await checkout('');
  const home = path.join(here.at, '..', '..');
  await mkdir(path.join(home, '.config/git'), { recursive: true });
  await writeFile(path.join(home, '.config/git/attributes'), '* merge=union\n');
  const at = { cwd: here.at };
  const commit = async (text: string, parent: string) => {
    await writeFile(path.join(here.at, 'b.txt'), text);
    const blob = (await here.git(['hash-object', '-w', 'b.txt'], at)).stdout.trim();
    const tree = await here.git(['mktree'], { ...at, stdin: `100644 blob ${blob}\tb.txt\n` });
    const made = await here.git(['commit-tree', tree.stdout.trim(), '-p', parent, '-m', text], at);
    return made.stdout.trim();
  };
  const base = await commit('base\n', 'HEAD');
  const sides = [await commit('one\n', base), await commit('two\n', base)];
  const merged = await here.git(['merge-tree', '--write-tree', '--no-messages', ...sides], at);
  expect(merged.exitCode).toBe(1);
});
