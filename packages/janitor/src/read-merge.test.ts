import type { ExecResult } from '@baton/contracts';
import { expect, test } from 'vitest';
import { mergeArguments, readMerge } from './read-merge.ts';

const ended = (exitCode: number, ...fields: string[]): ExecResult => ({
  ...{ exitCode, stdout: fields.map((field) => `${field}\0`).join(''), stderr: '' },
  ...{ signal: null, timedOut: false, aborted: false, truncated: false, durationMs: 1 },
});
const read = (result: ExecResult) => readMerge(mergeArguments('a', 'b'), result);
const merging = ['1', 'two.txt', 'Auto-merging', 'Auto-merging two.txt\n'];
const collision = [
  ...['2', 'moved.txt', 'one.txt', 'CONFLICT (rename involved in collision)'],
  'CONFLICT (rename involved in collision): nested\n',
];

test.each([
  ['a tree alone', ended(0, 'tree'), { isClean: true, files: [] }],
  [
    'a file that git merged by itself',
    ended(0, 'tree', '', ...merging),
    { isClean: true, mergesContents: true, files: [] },
  ],
  [
    'a conflict that the exit code hides',
    ended(0, 'tree', '', ...collision, ...merging),
    { isClean: false, mergesContents: true, files: ['moved.txt', 'one.txt'] },
  ],
  [
    'files in conflict, once each',
    ended(1, 'tree', 'b', 'a', 'a', '', '1', 'a', 'CONFLICT (contents)', 'text'),
    { isClean: false, files: ['a', 'b'] },
  ],
  ['a conflict without a file', ended(1, 'tree'), { isClean: false, files: [] }],
])('a merge gives %s', (_, result, wanted) => {
  expect(read(result)).toEqual({ tree: 'tree', mergesContents: false, ...wanted });
});

test('what is no merge is an error', () => {
  expect(() => read(ended(128))).toThrow(/merge-tree/);
  expect(() => read({ ...ended(0, 'tree'), truncated: true })).toThrow(/more than is kept/);
});
