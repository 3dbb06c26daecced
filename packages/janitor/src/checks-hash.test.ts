import { expect, test } from 'vitest';
import type { Gate } from '@baton/contracts';
import { checkKey, checksHash } from './checks-hash.ts';

const gate: Gate = { name: 'tests', command: ['npm', 'test'], required: true, timeout: 1000 };
const options = {
  gates: [gate],
  signals: [
    { type: 'path_exists', path: 'a' } as const,
    { type: 'file_contains', path: 'b', text: 'c' } as const,
  ],
  allowRed: ['x', 'y'],
  versions: { node: '24', git: '2.39' },
};

test('the same checks have the same hash, in whatever order their keys and signals come', () => {
  const turned = {
    versions: { git: '2.39', node: '24' },
    allowRed: ['y', 'x'],
    signals: [
      { text: 'c', path: 'b', type: 'file_contains' } as const,
      { path: 'a', type: 'path_exists' } as const,
    ],
    gates: [{ timeout: 1000, required: true, command: ['npm', 'test'], name: 'tests' }],
  };
  expect(checksHash(turned)).toBe(checksHash(options));
  expect(checksHash(options)).toMatch(/^[0-9a-f]{64}$/);
});

test.each([
  ['a command', { gates: [{ ...gate, command: ['npm', 'tset'] }] }],
  ['a time limit', { gates: [{ ...gate, timeout: 2000 }] }],
  ['a condition', { gates: [{ ...gate, paths: ['src'] }] }],
  ['a gate less', { gates: [] }],
  ['a signal less', { signals: [] }],
  ['a gate that may be red', { allowRed: ['x', 'y', 'tests'] }],
  ['a tool version', { versions: { node: '25', git: '2.39' } }],
])('%s changes the hash', (_, change) => {
  expect(checksHash({ ...options, ...change })).not.toBe(checksHash(options));
});

test('the key of one command differs by tree, command, time limit and versions', () => {
  const key = { tree: 't', command: ['a', 'b'], timeoutMs: 1, versions: {} };
  const changed = [
    { ...key, tree: 'u' },
    { ...key, command: ['a b'] },
    { ...key, timeoutMs: 2 },
    { ...key, versions: { node: '1' } },
  ];
  expect(new Set([key, ...changed].map(checkKey)).size).toBe(5);
});
