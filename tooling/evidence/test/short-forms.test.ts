import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parts } from './support/short-forms.ts';

test('each part of the campaigns has a file that tests their short forms', async () => {
  const tested: number[] = [];
  for await (const name of glob('short-*.integration.test.ts', { cwd: import.meta.dirname })) {
    const text = readFileSync(path.join(import.meta.dirname, name), 'utf8');
    tested.push(Number(/^describeShortForms\((\d+)\);$/m.exec(text)?.[1]));
  }
  expect(tested.sort()).toEqual(Array.from({ length: parts }, (_, part) => part));
});
