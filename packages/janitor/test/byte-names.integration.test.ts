import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { diffChange, diffRun, mergeRun, tamperFlags } from '../src/index.ts';
import { project } from './corpus/project.ts';
import { commit, sh, userAndClone } from './helpers/repos.ts';
import { git } from './helpers/run.ts';

const strict =
  "import { test } from 'node:test';\ntest('adds', () => {\n  assert.equal(add(1, 2), 3);\n});\n";
const skipped = strict.replace("test('adds'", "test.skip('adds'");

/** A file whose name has one byte that is no UTF-8. */
const named = (root: string, byte: number): Buffer =>
  Buffer.concat([Buffer.from(`${root}/caf`), Buffer.of(byte), Buffer.from('.test.js')]);

const writeBytes = (root: string, byte: number, text: string): Promise<void> =>
  writeFile(named(root, byte), text);

test.skipIf(process.platform === 'darwin')(
  'a test file whose name is no UTF-8 is read, told apart from its like, and shown as git shows it',
  async () => {
    const { user: root } = await userAndClone(project);
    await writeBytes(root, 0xe9, strict);
    await writeBytes(root, 0xe8, strict);
    const base = await commit(root, {}, 'tests');
    await sh(root, 'branch', 'work');
    await writeBytes(root, 0xe9, skipped);
    const head = await commit(root, {}, 'weaker');
    await sh(root, 'branch', '--force', 'work', head);
    const gates = [{ name: 'tests', command: ['npm', 'test'], required: true, timeout: 60_000 }];
    const flags = await tamperFlags({ git, clone: root, from: base, to: head, gates });
    expect(flags.map(({ text }) => text).join('\n')).toContain(String.raw`caf\351.test.js`);
    const change = await diffChange({ git, repo: root, from: base, to: head, patch: false });
    expect(change.files).toEqual([{ path: String.raw`caf\351.test.js`, added: 1, removed: 1 }]);
    expect((await diffRun({ git, repo: root, target: 'work', base })).paths).toEqual([
      String.raw`caf\351.test.js`,
    ]);
  },
);

test.skipIf(process.platform === 'darwin')(
  'a merge does not overwrite an ignored file whose name is no UTF-8',
  async () => {
    const { user: root } = await userAndClone({ 'a.txt': 'a\n' });
    await sh(root, 'checkout', '--quiet', '-b', 'work');
    await writeBytes(root, 0xe9, 'of the task\n');
    await commit(root, {}, 'adds it');
    await sh(root, 'checkout', '--quiet', 'main');
    await commit(root, { '.gitignore': '*.test.js\n' }, 'ignores it');
    await writeBytes(root, 0xe9, 'of the user\n');
    await writeBytes(root, 0xe8, 'another one\n');
    await expect(mergeRun({ git, repo: root, target: 'work', into: 'main' })).rejects.toMatchObject({
      code: 'REPO_DIRTY',
      at: String.raw`caf\351.test.js`,
    });
    expect(await readFile(named(root, 0xe9), 'utf8')).toBe('of the user\n');
  },
);
