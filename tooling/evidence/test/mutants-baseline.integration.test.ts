import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tempDir } from '@baton/testkit';
import { expect, it } from 'vitest';
import { baseline } from '../src/campaigns/mutants/plant.ts';

const faults = [{ name: 'x', fault: 'x', owner: 'packages/a', tests: [], patch: '' }];
const files = {
  'vitest.config.mjs': 'export default { test: { globals: true } };',
  'green.test.mjs': "test('is green', () => undefined);",
  'red.test.mjs': "test('is red', () => expect(1).toBe(2));",
  // Red once, as a test that ran out of its time.
  'late.test.mjs': `import { existsSync, writeFileSync } from 'node:fs';
    test('is late', () => {
      const isSecond = existsSync('tried');
      writeFileSync('tried', '');
      expect(isSecond).toBe(true);
    });`,
};

it('tests that are red beside others are run once more by themselves, and judge faults if they are green then', async () => {
  await using dir = await tempDir();
  const owner = path.join(dir.path, 'packages/a');
  mkdirSync(owner, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(owner, name), text);
  const scratch = {
    folder: dir.path,
    ...{ plant: () => Promise.resolve(null), misfit: () => Promise.resolve(null) },
    ...{ clear: () => Promise.resolve(), [Symbol.asyncDispose]: () => Promise.resolve() },
  };
  const run = await baseline(scratch, faults, { serverHome: dir.path, interrupted: undefined });
  expect(run).toMatchObject({ passed: 2, failed: 1, trouble: null });
  expect([...run.redFiles.keys()]).toEqual(['red.test.mjs']);
});
