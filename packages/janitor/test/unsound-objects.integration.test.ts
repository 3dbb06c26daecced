import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { buildCandidate, publishCandidate } from '../src/index.ts';
import { at } from './helpers/landing.ts';
import { commit, sh, userAndClone } from './helpers/repos.ts';
import { changeOf } from './helpers/verifying.ts';
import { git } from './helpers/run.ts';

const base = { git, message: 'Do it', trailers: { 'Task-Id': 't1' }, at };

/** Makes a commit of the present index whose lines of author and committer git would not write itself. */
function forge(
  root: string,
  lines: { tree: string; parent: string; author: string; committer: string },
): string {
  const { tree, parent, author, committer } = lines;
  const input = `tree ${tree}\nparent ${parent}\nauthor ${author}\ncommitter ${committer}\n\nforged\n`;
  const args = ['hash-object', '-t', 'commit', '-w', '--literally', '--stdin'];
  return execFileSync('git', args, { cwd: root, input, encoding: 'utf8' }).trim();
}

const sound = 'A <a@b> 1700000000 +0000';

test.each([
  ['a date with a zero before it', 'A <a@b> 01 +0000'],
  ['no name', '<a@b> 1 +0000'],
  ['no space before its address', 'A<a@b> 1 +0000'],
  ['an address that does not end', 'A <a@b 1 +0000'],
  ['a date beyond all time', 'A <a@b> 99999999999999999999 +0000'],
  ['a date before 1970', 'A <a@b> -1 +0000'],
  ['no time zone', 'A <a@b> 1'],
  ['a time zone of five digits', 'A <a@b> 1 +99999'],
])(
  'a commit with %s lands as one commit, which a repository that checks objects takes',
  async (_what, line) => {
    const { user, base: start } = await userAndClone({ 'a.txt': 'a\n' });
    await commit(user, { 'b.txt': 'b\n' }, 'own');
    const tree = await sh(user, 'rev-parse', 'HEAD^{tree}');
    for (const [author, committer] of [
      [line, sound],
      [sound, line],
    ] as const) {
      const headCommit = forge(user, { tree, parent: start, author, committer });
      const sides = { clone: user, targetHead: start, startCommit: start, headCommit };
      const made = await buildCandidate({ ...base, ...sides, history: 'merge' });
      if (made.kind !== 'clean') throw new Error(made.kind);
      expect(made.why).toMatch(/other gits refuse|not UTF-8/);
      const { user: checking } = await userAndClone({});
      await sh(checking, 'config', 'transfer.fsckObjects', 'true');
      await publishCandidate({ git, clone: user, repo: checking, commit: made.commit, landingId: 'l' });
      expect(await sh(checking, 'rev-parse', 'refs/baton/landing/l')).toBe(made.commit);
    }
  },
);

test('sound commits of odd dates and names are kept', async () => {
  const { user, base: start } = await userAndClone({ 'a.txt': 'a\n' });
  await commit(user, { 'b.txt': 'b\n' }, 'own');
  const tree = await sh(user, 'rev-parse', 'HEAD^{tree}');
  for (const author of [' <> 0 -0000', 'A B <a b> 4102444800 +9999', 'Ä <ä@b> 1 -1200']) {
    const headCommit = forge(user, { tree, parent: start, author, committer: sound });
    const sides = { clone: user, targetHead: start, startCommit: start, headCommit };
    const made = await buildCandidate({ ...base, ...sides, history: 'merge' });
    expect(made).toMatchObject({ kind: 'clean', why: null, kept: { merged: headCommit } });
    const { user: checking } = await userAndClone({});
    await sh(checking, 'config', 'transfer.fsckObjects', 'true');
    const landing = made.kind === 'clean' ? made.commit : '';
    await publishCandidate({ git, clone: user, repo: checking, commit: landing, landingId: 'l' });
  }
});

test('content that the checks of a repository refuse is named as such, and lands once they are off', async () => {
  const { user } = await userAndClone({ 'a.txt': 'a\n' });
  const odd = await commit(user, { '.gitmodules': '[submodule "x"]\n\tpath = x\n\turl = -u./x\n' }, 'own');
  const { user: checking } = await userAndClone({});
  await sh(checking, 'config', 'transfer.fsckObjects', 'true');
  const publish = () =>
    publishCandidate({ git, clone: user, repo: checking, commit: odd, landingId: 'l' }).then(
      () => null,
      (error: { code: string; fix: string }) => error,
    );
  const refused = await publish();
  expect(refused).toMatchObject({ code: 'GIT_FAILED' });
  const [, look = ''] = /\(`([^`]+)`\)/.exec(refused?.fix ?? '') ?? [];
  const shell = (line: string) => execFileSync('sh', ['-c', line], { cwd: checking, encoding: 'utf8' });
  expect(shell(look)).toContain('transfer.fsckobjects true');
  const [, off = ''] = /let it in: `([^`]+)`/.exec(refused?.fix ?? '') ?? [];
  shell(off);
  expect(await publish()).toBeNull();
});

const refusedModules = '[submodule "x"]\n\tpath = x\n\turl = -u./x\n';

test.each([
  ['.gitmodules', refusedModules, /^git fsck refuses \.gitmodules: gitmodulesUrl: disallowed/],
  ['deep/.gitmodules', refusedModules, /^git fsck refuses deep\/\.gitmodules: gitmodulesUrl: /],
  ['.GitModules', refusedModules, /gitmodulesUrl/],
  ['GITMOD~1', refusedModules, /gitmodulesUrl/],
  ['.git\u200cmodules', refusedModules, /gitmodulesUrl/],
  ['.gitattributes', `${'a'.repeat(3_000)} text\n`, /gitattributesLineLength/],
] as const)('a change with %s that git fsck refuses gets that verdict', async (file, content, reason) => {
  const change = await changeOf({ 'a.txt': 'a\n' }, { 'a.txt': 'a\n', [file]: content });
  const verdict = await change.verify({ changedPaths: [file] });
  expect(verdict.passed).toBe(false);
  const said = verdict.results.find(({ name }) => name === 'git-fsck');
  expect(said).toMatchObject({ passed: false, reason: expect.stringMatching(reason) as string });
});

test('sound settings of git pass, and what the target has already is not the fault of a change', async () => {
  const sound = '[submodule "x"]\n\tpath = x\n\turl = https://example.org/x\n';
  const first = await changeOf({ 'a.txt': 'a\n' }, { 'a.txt': 'a\n', '.gitmodules': sound });
  expect(await first.verify()).toMatchObject({ passed: true });
  const old = await changeOf(
    { '.gitmodules': refusedModules },
    { '.gitmodules': `${refusedModules}\tbranch = main\n` },
  );
  expect(await old.verify()).toMatchObject({ passed: true });
});

test.each([
  ['the same file', '.gitmodules', '.gitmodules'],
  ['another file', 'x/.gitattributes', '.gitmodules'],
])(
  'a change that makes sound settings of git unsound is refused, and then does not speak against sound ones in %s',
  async (_what, good, bad) => {
    const sound =
      good === bad ? '[submodule "x"]\n\tpath = x\n\turl = https://example.org/x\n' : '*.txt text\n';
    const change = await changeOf({ [bad]: '# none yet\n' }, { [bad]: refusedModules });
    const verdict = await change.verify({ changedPaths: [bad] });
    expect(verdict.results.find(({ name }) => name === 'git-fsck')).toMatchObject({ passed: false });
    await sh(change.root, 'checkout', '--quiet', '--detach', change.base);
    const next = await commit(change.root, { [good]: sound });
    const asked = { tree: next, candidateCommit: next, changedPaths: [good] };
    expect(await change.verify(asked)).toMatchObject({ passed: true });
  },
);

test.each(['.gitattributes', 'deep/.GitModules', 'GITATT~1'])(
  'a folder %s is refused as `git fsck` refuses it, and one that the target has is not the fault of a change',
  async (folder) => {
    const change = await changeOf({ 'a.txt': 'a\n' }, { 'a.txt': 'a\n', [`${folder}/x`]: 'x\n' });
    const verdict = await change.verify();
    const said = verdict.results.find(({ name }) => name === 'git-fsck');
    expect(said?.reason).toMatch(/non-blob found at \.git(?:attributes|modules)/);
    expect(said?.reason).toContain(folder);
    expect(verdict.passed).toBe(false);
    const old = await changeOf({ [`${folder}/x`]: 'x\n' }, { [`${folder}/y/z`]: 'y\n' });
    expect(await old.verify()).toMatchObject({ passed: true });
  },
);

test('a folder that takes the place of such a file is refused, and its removal passes', async () => {
  const made = await changeOf({ '.gitattributes': '* text\n' }, { '.gitattributes': null, 'b.txt': 'b\n' });
  await commit(made.root, { '.gitattributes/x': 'x\n' });
  const head = await sh(made.root, 'rev-parse', 'HEAD');
  const changedPaths = ['.gitattributes', '.gitattributes/x', 'b.txt'];
  const asked = { tree: head, candidateCommit: head, changedPaths };
  expect((await made.verify(asked)).results).toContainEqual(
    expect.objectContaining({ name: 'git-fsck', passed: false }),
  );
  const back = { baseCommit: head, tree: made.base, candidateCommit: made.base };
  await sh(made.root, 'checkout', '--quiet', '--detach', made.base);
  expect((await made.verify({ ...back, changedPaths })).results).toContainEqual(
    expect.objectContaining({ name: 'git-fsck', passed: true }),
  );
});

test('a submodule that has the name of such a file is refused', async () => {
  const change = await changeOf({ 'a.txt': 'a\n' }, { 'b.txt': 'b\n' });
  await sh(change.root, 'update-index', '--add', '--cacheinfo', `160000,${change.base},.gitattributes`);
  await sh(change.root, 'commit', '--quiet', '--message', 'odd');
  const head = await sh(change.root, 'rev-parse', 'HEAD');
  const asked = { tree: head, candidateCommit: head, changedPaths: ['.gitattributes', 'b.txt'] };
  const said = (await change.verify(asked)).results.find(({ name }) => name === 'git-fsck');
  expect(said).toMatchObject({ passed: false, reason: expect.stringContaining('.gitattributes') as string });
});

test('a check that git does not answer, since it is ended, is no yes', async () => {
  const change = await changeOf({ 'a.txt': 'a\n' }, { '.gitattributes': '* text\n' });
  const ended: typeof git = async (args, options) => {
    const result = await git(args, options);
    return args[0] === 'fsck' ? { ...result, exitCode: null, stdout: '', stderr: '' } : result;
  };
  const verdict = await change.verify({ git: ended });
  expect(verdict.results.find(({ name }) => name === 'git-fsck')).toMatchObject({ passed: false });
});

test('own commits of which an earlier one has such settings of git land as one commit', async () => {
  const { user, base: start } = await userAndClone({ 'a.txt': 'a\n' });
  await commit(user, { '.gitmodules': refusedModules }, 'odd');
  const headCommit = await commit(user, { '.gitmodules': null, 'b.txt': 'b\n' }, 'gone');
  const sides = { clone: user, targetHead: start, startCommit: start, headCommit };
  const made = await buildCandidate({ ...base, ...sides, history: 'merge' });
  expect(made).toMatchObject({ kind: 'clean', why: 'a commit changes .gitmodules' });
  await commit(user, { '.gitattributes/x': 'x\n' }, 'folder');
  const later = await commit(user, { '.gitattributes/x': null, 'c.txt': 'c\n' }, 'no folder');
  const folder = { ...sides, startCommit: headCommit, targetHead: headCommit, headCommit: later };
  expect(await buildCandidate({ ...base, ...folder, history: 'merge' })).toMatchObject({
    why: 'a commit changes .gitattributes',
  });
});
