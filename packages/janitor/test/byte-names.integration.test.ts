import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { diffChange, diffRun, tamperFlags } from '../src/index.ts';
import { project } from './corpus/project.ts';
import { commit, sh, userAndClone } from './helpers/repos.ts';
import { git } from './helpers/run.ts';

const strict =
  "import { test } from 'node:test';\ntest('adds', () => {\n  assert.equal(add(1, 2), 3);\n});\n";
const skipped = strict.replace("test('adds'", "test.skip('adds'");

/** A file whose name has one byte that is no UTF-8. */
async function writeBytes(root: string, byte: number, text: string): Promise<void> {
  await writeFile(
    Buffer.concat([Buffer.from(`${root}/caf`), Buffer.of(byte), Buffer.from('.test.js')]),
    text,
  );
}

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
