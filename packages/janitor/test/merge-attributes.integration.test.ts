import { expect, test } from 'vitest';
import { buildCandidate } from '../src/index.ts';
import { at } from './helpers/landing.ts';
import { commit, sh, userAndClone, work, write, type Files } from './helpers/repos.ts';
import { git } from './helpers/run.ts';

const lines = (...changed: [at: number, text: string][]): string =>
  Array.from({ length: 9 }, (_, nth) => `${changed.find(([one]) => one === nth)?.[1] ?? nth}\n`).join('');

const end = { base: lines(), task: `${lines()}task\n`, target: `${lines()}target\n` };
const apart = { base: lines(), task: lines([0, 'task']), target: lines([8, 'target']) };

const cases: [title: string, file: string, attributes: Files, sides: typeof end, clean: boolean][] = [
  ['lines of both sides with `merge=union`', 'log.md', { '.gitattributes': '*.md merge=union\n' }, end, true],
  ['the same without an attribute', 'log.md', { '.gitattributes': '*.txt merge=union\n' }, end, false],
  ['a union of a folder', 'd/ü/log.md', { 'd/ü/.gitattributes': 'log.md merge=union\n' }, end, true],
  ['a macro', 'log.md', { '.gitattributes': '[attr]both merge=union\n*.md both\n' }, end, true],
  ['text that is not to be merged', 'lock', { '.gitattributes': 'lock -merge\n' }, apart, false],
  ['text that counts as binary', 'd/lock', { '.gitattributes': 'lock binary\n' }, apart, false],
  ['the same text without an attribute', 'lock', { '.gitattributes': 'other binary\n' }, apart, true],
  ['a driver that nobody set up', 'lock', { '.gitattributes': 'lock merge=nobody\n' }, apart, true],
  ['attributes that say how lines end', 'lock', { '.gitattributes': '* text=auto eol=crlf\n' }, apart, true],
];

test.each(cases)(
  'work is merged onto its target as plain git does it in a checkout: %s',
  async (_, file, attributes, sides, isClean) => {
    const { user, clone, base } = await userAndClone({ [file]: sides.base, ...attributes });
    const task = await work(clone, base, { [file]: sides.task });
    const target = await commit(user, { [file]: sides.target });
    await sh(clone, 'fetch', '--quiet', user, target);
    const made = await buildCandidate({
      ...{ git, clone, targetHead: target, startCommit: base, headCommit: task.at(-1) ?? '', at },
      ...{ message: 'task', trailers: {} },
    });
    await sh(user, 'fetch', '--quiet', clone, task.at(-1) ?? '');
    const plain = await git(['merge', '--quiet', '--no-edit', 'FETCH_HEAD'], { cwd: user });
    expect(plain.exitCode === 0).toBe(isClean);
    if (isClean) expect(made).toMatchObject({ tree: await sh(user, 'rev-parse', 'HEAD^{tree}') });
    else expect(made).toEqual({ kind: 'conflict', files: [file] });
  },
);

test('the attributes of the target decide, not those of the work, and no file of the clone is touched', async () => {
  const { user, clone, base } = await userAndClone({ 'log.md': end.base });
  const own = { '.gitattributes': '*.md merge=union\n' };
  const [task = ''] = await work(clone, base, { 'log.md': end.task, ...own });
  const options = { git, clone, startCommit: base, headCommit: task, at, message: 'task', trailers: {} };
  const target = await commit(user, { 'log.md': end.target });
  await sh(clone, 'fetch', '--quiet', user, target);
  expect(await buildCandidate({ ...options, targetHead: target })).toMatchObject({ kind: 'conflict' });
  await write(user, own);
  const told = await commit(user, {});
  await sh(clone, 'fetch', '--quiet', user, told);
  expect(await buildCandidate({ ...options, targetHead: told })).toMatchObject({ kind: 'clean' });
  expect(await git(['rev-parse', '--is-bare-repository'], { cwd: clone })).toMatchObject({
    stdout: 'true\n',
  });
});
