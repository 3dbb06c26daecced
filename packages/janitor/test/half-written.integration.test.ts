import { chmod, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diffSnapshots, inParts } from '@baton/testkit';
import type { Git } from '@baton/contracts';
import { settleIntent } from '../src/index.ts';
import { commit, sh, userAndClone, write } from './helpers/repos.ts';
import { git } from './helpers/run.ts';

type Act = (root: string) => Promise<unknown>;

const latin = (root: string, name = 'caf\xe9.txt'): Buffer =>
  Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, 'latin1')]);
const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

/** What the move changes: a program, a folder, names and content that are no UTF-8. */
const before: Act = async (root) => {
  await write(root, { 'a.txt': 'a\n', 'gone/x.txt': 'x\n', 'd/x.txt': 'x\n', 'run.sh': 'true\n' });
  await writeFile(latin(root), 'old\n');
  await writeFile(join(root, 'bytes'), bytes('\xe9'));
};
const after: Act = async (root) => {
  await write(root, {
    'a.txt': 'changed\n',
    gone: null,
    'd/x.txt': 'y\n',
    'new/z.txt': 'z\n',
    own: 'theirs\n',
  });
  await writeFile(latin(root), 'new\n');
  await writeFile(latin(root, 'th\xe9.txt'), 'added\n');
  await writeFile(join(root, 'bytes'), bytes('\xe9\xe9 and more'));
  await chmod(join(root, 'run.sh'), 0o755);
};

/** A checkout in which a move from one commit to the next wrote all of its files, and died before its index and its ref. */
async function halfDone(settings: readonly string[] = [], attributes = '') {
  const here = await userAndClone({ '.gitignore': 'own\ngone\n', '.gitattributes': attributes });
  const user = here.user;
  for (const setting of settings) await sh(user, 'config', ...setting.split('='));
  await before(user);
  await sh(user, 'add', '--all', '--force');
  const from = await commit(user, {}, 'before');
  await after(user);
  await sh(user, 'add', '--all', '--force');
  const to = await commit(user, {}, 'after');
  await sh(user, 'reset', '--quiet', '--hard', from);
  const untouched = await here.repo.snapshot();
  await sh(user, 'reset', '--quiet', '--hard', to);
  await sh(user, 'update-ref', 'refs/heads/main', from);
  await sh(user, 'read-tree', from);
  const intent = { fromCommit: from, candidateCommit: to, holder: { lockFiles: [] } };
  const settle = (port: Git = git) =>
    settleIntent({ git: port, repo: user, target: 'main', intent, holderDead: true });
  return { here, user, from, to, untouched, settle };
}

const nested: Act = async (root) => {
  await rm(join(root, 'own'), { force: true });
  await sh(root, 'init', '--quiet', 'own');
  await commit(join(root, 'own'), { 'kept.txt': 'kept\n' }, 'nowhere else');
};

const acts: [string, Act][] = [
  ['an edit of a file whose name is no UTF-8', (root) => writeFile(latin(root), 'mine\n')],
  ['an edit of an added one', (root) => writeFile(latin(root, 'th\xe9.txt'), 'mine\n')],
  [
    'content that differs in bytes that are no UTF-8',
    (root) => writeFile(join(root, 'bytes'), bytes('\xe8')),
  ],
  [
    'the beginning of the new content with such a byte',
    (root) => writeFile(join(root, 'bytes'), bytes('\xe9\xe8')),
  ],
  ['a repository in place of an added file', nested],
  ['a file in place of a folder', (root) => write(root, { d: 'mine\n' })],
  ['a link in place of a folder', (root) => write(root, { d: { link: 'new' } })],
  ['a file that git ignores in place of a deleted folder', (root) => write(root, { gone: 'mine\n' })],
  [
    'a folder that git ignores in place of a deleted file',
    (root) => write(root, { 'gone/x.txt/mine': 'm\n' }),
  ],
  [
    'a repository in place of a deleted folder',
    (root) => write(root, { 'gone/.git/HEAD': 'mine\n', 'gone/x.txt': 'mine\n' }),
  ],
  [
    'a link in place of an added file',
    async (root) => (await rm(join(root, 'own')), symlink('a.txt', join(root, 'own'))),
  ],
  [
    'a folder in place of an added file',
    (root) => write(root, { 'new/z.txt': null, 'new/z.txt/mine': 'mine\n' }),
  ],
  ['a mode', (root) => chmod(join(root, 'a.txt'), 0o755)],
  [
    'an edit that is only staged',
    async (root) => {
      await write(root, { 'a.txt': 'staged\n' });
      await sh(root, 'add', 'a.txt');
      await write(root, { 'a.txt': 'changed\n' });
    },
  ],
  [
    'a merge of the very commit that the user has begun',
    async (root) => {
      await sh(root, 'reset', '--quiet', '--hard');
      await rm(join(root, 'own'), { force: true });
      await rm(join(root, 'new'), { recursive: true, force: true });
      await rm(latin(root, 'th\xe9.txt'), { force: true });
      await sh(root, 'merge', '--quiet', '--no-ff', '--no-commit', 'work');
    },
  ],
];

for (const [cases, tagged] of inParts(5, acts))
  test.skipIf(process.platform === 'darwin').each(cases)(
    "%s in a half-written checkout is the user's, and all of it stays",
    tagged,
    async (_, act) => {
      const { here, user, to, settle } = await halfDone();
      await sh(user, 'branch', 'work', to);
      await act(user);
      const found = await here.repo.snapshot();
      expect(await settle()).toBe(false);
      expect(diffSnapshots(found, await here.repo.snapshot())).toEqual([]);
    },
  );

const settingsOfAll: [string, readonly string[], string][] = [
  ['as it is', [], ''],
  ['with line ends of its own', ['core.autocrlf=true'], '*.txt text\n'],
  ['without modes', ['core.fileMode=false'], ''],
  ['with a filter', ['filter.up.smudge=tr a-z A-Z', 'filter.up.clean=tr A-Z a-z'], '*.txt filter=up\n'],
  ['with names of a user who quotes none', ['core.quotePath=false', 'core.splitIndex=true'], ''],
];

for (const [cases, tagged] of inParts(2, settingsOfAll))
  test.skipIf(process.platform === 'darwin').each(cases)(
    'a half-written checkout %s is put back whole, whatever bytes its names have',
    tagged,
    async (_, settings, attributes) => {
      for (const step of ['files', 'index', 'cut off'] as const) {
        const { here, user, to, untouched, settle } = await halfDone(settings, attributes);
        if (step === 'index') await sh(user, 'read-tree', to);
        if (step === 'cut off') await writeFile(join(user, 'bytes'), bytes('\xe9\xe9'));
        expect(await settle()).toBe(false);
        expect(
          diffSnapshots(untouched, await here.repo.snapshot(), { except: [/^ORIG_HEAD$/, /^file new$/] }),
        ).toEqual([]);
        expect(await sh(user, 'status', '--porcelain')).toBe('');
      }
    },
  );
