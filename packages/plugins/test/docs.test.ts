import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { interceptorHooks } from '../src/interceptor-hooks.ts';
import { recordedMove } from '../src/testing.ts';

const page = readFileSync(new URL('../../../docs/plugins.md', import.meta.url), 'utf8');

/** Rows of the first table below a heading, as the text of their cells. */
function rowsBelow(heading: string): string[][] {
  const [, below = ''] = page.split(`## ${heading}\n`);
  const lines = below.split('\n## ')[0]?.split('\n') ?? [];
  const table = lines.filter((line) => line.startsWith('|')).slice(2);
  return table.map((line) => line.split('|').slice(1, -1));
}

/** Names in a cell, but for those in brackets. */
const names = (cell = ''): string[] =>
  [...cell.replace(/\(.*?\)/g, '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

test('plugins.md names each field of what observers get', () => {
  const shown = rowsBelow('What an observer gets').flatMap(([fields]) => names(fields));
  expect(shown.toSorted()).toEqual(Object.keys(recordedMove()).toSorted());
});

test('plugins.md names each hook of interceptors with its fields and with what may be changed', () => {
  const shown = rowsBelow('What an interceptor gets and may change').map(([hook, fields, changes]) => [
    names(hook)[0],
    names(fields),
    names(changes),
  ]);
  expect(shown).toEqual(
    Object.entries(interceptorHooks).map(([hook, { payload, mayChange }]) => [
      hook,
      Object.keys(payload.shape),
      mayChange,
    ]),
  );
});
