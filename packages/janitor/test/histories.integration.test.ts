import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildCandidate, landedDiff, landedOnto, rewordCandidate, rewriteCandidate } from '../src/index.ts';
import { at } from './helpers/landing.ts';
import { commit, sh, userAndClone, write, type Files } from './helpers/repos.ts';
import { git } from './helpers/run.ts';

const key = ['AKIA', 'QW7ERTY2UIOP5ASD'].join('');
const files = { 'a.txt': 'a\nb\nc\nd\ne\nf\ng\nh\n', 'b.txt': 'b\n', 'c.txt': 'c\n' };
const options = {
  git,
  message: 'Do it\n\nGates passed: tests.',
  trailers: { 'Task-Id': 't1', Run: 'r' },
  at,
};

/** A checkout in which an agent makes commits on its base, and whose target may move on. */
async function place() {
  const { user: root, base } = await userAndClone(files);
  const start = () => sh(root, 'checkout', '--quiet', '--detach', base);
  await start();
  const build = async (
    history: 'squash' | 'linear' | 'merge',
    sides: { target?: string; head: string; from?: string },
  ) =>
    buildCandidate({
      ...options,
      ...{ clone: root, history },
      ...{ targetHead: sides.target ?? base, startCommit: sides.from ?? base, headCommit: sides.head },
    });
  return { root, base, start, build };
}

const subjects = async (root: string, range: string) =>
  (await sh(root, 'log', '--reverse', '--format=%s', range)).split('\n').filter((line) => line !== '');

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])(
  'commits, trees and parents are those of a squash, a rebase and a merge by git itself (seed %i)',
  async (seed) => {
    let state = seed;
    const pick = (below: number): number => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return Math.floor((state / 2 ** 31) * below);
    };
    const { root, base, start, build } = await place();
    const change = (): Files => {
      const line = pick(8);
      const lines = files['a.txt']
        .split('\n')
        .map((text, index) => (index === line ? `${text} ${pick(3)}` : text));
      return (
        [{ 'a.txt': lines.join('\n') }, { [`n${pick(3)}.txt`]: `${pick(3)}\n` }, { 'b.txt': null }, {}][
          pick(4)
        ] ?? {}
      );
    };
    for (let at = 0; at <= pick(3); at++) await commit(root, change(), `target ${at}`);
    const target = await sh(root, 'rev-parse', 'HEAD');
    await start();
    for (let at = 0; at <= pick(4); at++) await commit(root, change(), `own ${at}\n\nSaid more.`);
    const head = await sh(root, 'rev-parse', 'HEAD');

    await sh(root, 'checkout', '--quiet', '--detach', target);
    const merged = await git(['merge', '--quiet', '--no-ff', '-m', 'x', head], { cwd: root });
    if (merged.exitCode !== 0) {
      expect((await build('merge', { target, head })).kind).toBe('conflict');
      return;
    }
    const tree = await sh(root, 'rev-parse', 'HEAD^{tree}');
    const isEmpty = tree === (await sh(root, 'rev-parse', `${target}^{tree}`));
    const [one, own, line] = [
      await build('squash', { target, head }),
      await build('merge', { target, head }),
      await build('linear', { target, head }),
    ];
    for (const made of [one, own, line])
      expect(made).toMatchObject({ kind: isEmpty ? 'empty' : 'clean', tree });
    if (isEmpty || one.kind !== 'clean' || own.kind !== 'clean' || line.kind !== 'clean') return;
    const parents = (id: string) => sh(root, 'log', '-1', '--format=%P', id);
    expect(await parents(one.commit)).toBe(target);
    expect(await parents(own.commit)).toBe(`${target} ${head}`);

    await sh(root, 'checkout', '--quiet', '--detach', head);
    const rebased = await git(['rebase', '--quiet', '--onto', target, base], { cwd: root });
    if (rebased.exitCode !== 0) {
      await sh(root, 'rebase', '--abort');
      expect(line.why).toMatch(/conflicts with the target by itself/);
      expect(await parents(line.commit)).toBe(target);
      return;
    }
    const told = (range: string) => sh(root, 'log', '--format=%T %an %ad %s', '--date=raw', range);
    expect(await told(`${target}..${line.commit}`)).toBe(await told(`${target}..HEAD`));
    expect(await landedDiff({ git, repo: root, commit: line.commit })).toBe(
      await landedDiff({ git, repo: root, commit: own.commit }),
    );
    expect(await sh(root, 'rev-parse', await landedOnto({ git, repo: root, commit: line.commit }))).toBe(
      target,
    );
  },
);

test('a line of commits keeps authors and texts, and only the last has the trailers of the task', async () => {
  const { root, base, build } = await place();
  await write(root, { 'a.txt': 'one\n' });
  await sh(root, 'add', '--all');
  const forged =
    'Write one\n\nIn full.\nTask-Id: other\n\nTask-Id: forged\nReviewed-by: me <m@x>\nCommits: 9';
  await sh(root, 'commit', '--quiet', '--author=Ada <ada@example.com>', '-m', forged);
  const head = await commit(root, { 'c.txt': `two\n` }, `Write two of ${key}\u001b[31m`);
  const made = await build('linear', { head });
  if (made.kind !== 'clean') throw new Error(made.kind);
  expect(made.kept?.earlier).toHaveLength(1);
  const text = (id: string) => sh(root, 'log', '-1', '--format=%an <%ae>%n%B', id);
  expect(await text(`${made.commit}^`)).toBe(
    'Ada <ada@example.com>\nWrite one\n\nIn full.\n\nReviewed-by: me <m@x>',
  );
  expect(await text(made.commit)).toContain(
    'Write two of [AWS access key removed]␛[31m\n\nTask-Id: t1\nRun: r\nCommits: 2',
  );
  expect(await sh(root, 'log', '-1', '--format=%cn', made.commit)).not.toBe('Ada');

  // With another text, on another head and with another tree of the last one it is the same line.
  const [moved] = [await sh(root, 'commit-tree', `${base}^{tree}`, '-p', base, '-m', 'moved')];
  const given = { git, clone: root, tree: made.tree, onto: moved, kept: made.kept, at };
  const told = await rewordCandidate({ ...given, message: 'x', trailers: options.trailers });
  expect(await subjects(root, `${base}..${told}`)).toEqual([
    'moved',
    'Write one',
    expect.stringMatching(/two/),
  ]);
  const written = await rewriteCandidate({
    git,
    clone: root,
    commit: told,
    tree: `${base}^{tree}`,
    onto: moved,
  });
  expect(await sh(root, 'rev-parse', `${written.commit}~2`)).toBe(moved);
});

test('what Baton committed of what an agent left gets the text of a landed commit, and that alone lands as one', async () => {
  const { root, build, base } = await place();
  const head = await commit(root, { 'a.txt': 'left\n' }, 'title\n\nTask-Id: t1\nAttempt: 1');
  const [line, one] = [await build('linear', { head }), await build('squash', { head })];
  expect(line).toMatchObject({ kind: 'clean', commit: one.kind === 'clean' ? one.commit : '', why: null });
  expect(await subjects(root, `${base}..${line.kind === 'clean' ? line.commit : ''}`)).toEqual(['Do it']);
});

/** Commits that are not published one by one, by what is said of them. */
const unfit: Record<string, (root: string) => Promise<unknown>> = {
  'adds what looks like a key: s.txt': async (root) => {
    await commit(root, { 's.txt': `${key}\n` });
    await commit(root, { 's.txt': null, 'a.txt': 'x\n' });
  },
  'big.bin above the limit of a file': async (root) => {
    await commit(root, { 'big.bin': 'x'.repeat(5 * 1024 * 1024 + 1) });
    await commit(root, { 'big.bin': null, 'a.txt': 'x\n' });
  },
  'a commit changes .gitattributes': async (root) => {
    await commit(root, { '.gitattributes': '*.enc filter=crypt\n', 'k.enc': 'raw\n' });
    await commit(root, { '.gitattributes': null, 'k.enc': null, 'a.txt': 'x\n' });
  },
  'there are more than 100 commits': async (root) => {
    for (let at = 0; at < 101; at++) await sh(root, 'commit', '--quiet', '--allow-empty', '-m', `${at}`);
    await commit(root, { 'a.txt': 'x\n' });
  },
};

test.each(Object.entries(unfit))('a history lands as one commit where %s', async (why, make) => {
  const { root, base, build } = await place();
  await make(root);
  const head = await sh(root, 'rev-parse', 'HEAD');
  for (const history of ['linear', 'merge'] as const) {
    const made = await build(history, { head });
    expect(made).toMatchObject({ kind: 'clean', kept: null, why: expect.stringContaining(why) as string });
    if (made.kind !== 'clean') continue;
    expect(await sh(root, 'rev-list', `${base}..${made.commit}`)).toBe(made.commit);
  }
});

test('a merge publishes no text that is not plain, and nothing below its start that has not landed', async () => {
  const { root, base, start, build } = await place();
  const whyOf = async (head: string, from = base) => {
    const made = await build('merge', { head, from });
    return made.kind === 'clean' ? made.why : made.kind;
  };
  expect(await whyOf(await commit(root, { 'a.txt': 'x\n' }, 'red \u001b[31m'))).toMatch(/not shown/);
  await start();
  expect(await whyOf(await commit(root, { 'a.txt': 'x\n' }, `of ${key}`))).toMatch(/key/);
  await start();
  await sh(root, 'config', 'i18n.commitEncoding', 'ISO-8859-1');
  expect(await whyOf(await commit(root, { 'a.txt': 'x\n' }, 'old text'))).toMatch(/not UTF-8/);
  await sh(root, 'config', '--unset', 'i18n.commitEncoding');
  await start();
  const refused = await commit(root, { 'b.txt': 'refused\n' }, 'of another task');
  const head = await commit(root, { 'a.txt': 'x\n' }, 'own');
  expect(await whyOf(head, refused)).toMatch(/on others that have not landed/);
  expect(await build('linear', { head, from: refused })).toMatchObject({ kind: 'clean', why: null });
});

test('a merge inside of the commits is kept by a merge, and is no line', async () => {
  const { root, base, build } = await place();
  const side = await commit(root, { 'c.txt': 'side\n' }, 'side');
  await sh(root, 'checkout', '--quiet', '--detach', base);
  await commit(root, { 'a.txt': 'own\n' }, 'own');
  await sh(root, 'merge', '--quiet', '--no-ff', '-m', 'both', side);
  const head = await sh(root, 'rev-parse', 'HEAD');
  expect(await build('merge', { head })).toMatchObject({ why: null, kept: { merged: head, earlier: [] } });
  expect(await build('linear', { head })).toMatchObject({
    kept: null,
    why: expect.stringContaining('not one line') as string,
  });
});

test('content with a filter of the user lands in no commit in between', async () => {
  const { root, base } = await place();
  await commit(root, { 'k.bin': 'raw\n' });
  const head = await commit(root, { 'k.bin': null, 'a.txt': 'x\n' });
  const attributesFile = join(root, '.git/own-attributes');
  await write(root, { '.git/own-attributes': '*.bin filter=lfs\n' });
  const made = await buildCandidate({
    ...{ ...options, clone: root, history: 'merge', attributesFile },
    ...{ targetHead: base, startCommit: base, headCommit: head },
  });
  expect(made).toMatchObject({ why: expect.stringContaining('k.bin, which has the filter lfs') as string });
});
