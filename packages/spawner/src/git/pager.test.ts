import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';

import { page } from './pager.ts';

test('text goes to the pager that the user set, which a shell reads as git lets it be read', async () => {
  await using dir = await tempDir();
  const file = path.join(dir.path, 'seen by it');
  const text = 'much text\n'.repeat(20_000);
  expect(await page(text, { command: `cat > "${file}"`, env: process.env })).toBe(true);
  expect(await readFile(file, 'utf8')).toBe(text);
});

test('a pager that ends early is no error, and one that does not exist is reported', async () => {
  const text = 'much text\n'.repeat(20_000);
  expect(await page(text, { command: 'true', env: process.env })).toBe(true);
  expect(await page('text', { command: 'baton-has-no-such-pager 2>/dev/null', env: process.env })).toBe(
    false,
  );
});
