import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { root, rooms } from '../src/index.ts';

it.each(rooms().map(({ folder }) => folder))('the README of %s says where things are, by links', (folder) => {
  const page = readFileSync(path.join(root, folder, 'README.md'), 'utf8');
  const section = page.split(/^## /m).find((part) => part.startsWith('Where things are\n')) ?? '';
  expect(section).toMatch(/\]\(src\//);
});
