import { runReadmeExample } from '@baton/testkit';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseTriggers } from '../src/index.ts';

const readme = path.join(import.meta.dirname, '../README.md');

test('the example of the README works as shown', async () => {
  const output = await runReadmeExample(readme);
  expect(output).toContain('failed-deploy true true');
  expect(output).toContain('Fix the deploy of release/2');
  expect(output).toContain('[ 2026-11-21T02:00:00.000Z ]');
});

test('the rules of the README are valid', async () => {
  const [, yaml = ''] = /^```yaml\n(.*?)^```$/ms.exec(await readFile(readme, 'utf8')) ?? [];
  expect(parseTriggers(yaml, { file: 'README.md' }).rules.map(({ name }) => name)).toEqual([
    'failed-deploy',
    'nightly-audit',
  ]);
});
