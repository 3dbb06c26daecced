import { expect, test } from 'vitest';

import { createBench } from '../support/bench.ts';
import { planOf } from '../support/plans.ts';

/** Does its work, and skips the test that would have judged it. */
const skips = {
  command: [
    'node',
    '-e',
    `const fs = require('node:fs');
fs.writeFileSync('sum.js', 'exports.sum = () => 0;\\n');
fs.writeFileSync('test/sum.test.js', fs.readFileSync('test/sum.test.js', 'utf8').replace('test(', 'test.skip('));`,
  ],
};
const files = {
  'sum.js': 'exports.sum = (a, b) => a + b;\n',
  'test/sum.test.js': "test('adds', () => { expect(sum(1, 1)).toBe(2); });\n",
};
const sign = 'tests skipped: 1 more in test/sum.test.js';

test('work that skips a test is held for a person unless its step owns the test or the plan only tells', async () => {
  await using bench = await createBench({
    ...files,
    'held.yaml': planOf('held', [{ key: 'sum', agent: skips }]),
    'owned.yaml': planOf('owned', [{ key: 'own', agent: skips, files: ['test', 'sum.js'] }]),
    'told.yaml': planOf('told', [{ key: 'told', agent: skips }], { weakened: 'tell' }),
  });
  const held = await bench.baton(['run', 'held.yaml', '--json']);
  expect(held.exitCode, held.stderr).toBe(3);
  expect((await bench.call(['explain', 'sum'])).stdout).toContain(sign);
  for (const plan of ['owned', 'told']) {
    const landed = await bench.baton(['run', `${plan}.yaml`, '--json']);
    expect(landed.exitCode, landed.stderr).toBe(0);
  }
});
