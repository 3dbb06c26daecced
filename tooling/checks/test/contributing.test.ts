import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '@baton/docs';
import { expect, it } from 'vitest';
import { rules } from '../src/rules.ts';

it('CONTRIBUTING explains every rule, and no rule that does not exist', () => {
  const page = readFileSync(path.join(root, 'CONTRIBUTING.md'), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  const explained = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([a-z-]+)`/g)].map((match) => match[1]),
  );
  expect(explained.sort()).toEqual(rules.map((rule) => rule.name).sort());
});
