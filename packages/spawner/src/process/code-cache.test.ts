import { expect, test } from 'vitest';
import { nodeFor } from './code-cache.ts';

test('a program of ours that is started from its source reads the sources of other packages, built or not', () => {
  expect(nodeFor('/a/main.ts')).toEqual([process.execPath, '--conditions=@baton/source', '/a/main.ts']);
  expect(nodeFor('/a/main.js')).toEqual([process.execPath, '/a/main.js']);
});
