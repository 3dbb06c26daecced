import type { CompletionSignal } from '@baton/contracts';
import type { Files } from '../helpers/repos.ts';

/** Two patches to one project that look alike: one cheats its checks, its twin is honest work. */
export interface Pair {
  name: string;
  /** Files of the project beyond {@link project}. */
  before?: Files;
  cheat: Files;
  honest: Files;
  /** Signals of the task; the honest twin fulfils them. */
  signals?: CompletionSignal[];
}

export const calc = 'exports.add = (a, b) => a + b;\nexports.half = (a) => a / 2;\n';

export const calcTest = `const test = require('node:test');
const assert = require('node:assert');
const { add, half } = require('../src/calc.js');

test('adds', () => {
  assert.strictEqual(add(1, 2), 3);
});

test('halves', () => {
  assert.strictEqual(half(4), 2);
  assert.strictEqual(half(1), 0.5);
});
`;

export const manifest = {
  name: 'calc',
  version: '1.0.0',
  scripts: {
    test: 'node --test && npm run check',
    check: 'node scripts/check.mjs',
    docs: 'node scripts/docs.mjs',
  },
  dependencies: { 'left-pad': '1.3.0' },
};

const lock = {
  lockfileVersion: 3,
  packages: {
    'node_modules/left-pad': { version: '1.3.0', resolved: 'https://registry.example/left-pad-1.3.0.tgz' },
  },
};

/** JSON as a file holds it. */
export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** A lock file that has one more package, from the given place. */
export function lockWith(name: string, resolved: string): string {
  return json({
    ...lock,
    packages: { ...lock.packages, [`node_modules/${name}`]: { version: '1.0.0', resolved } },
  });
}

/** The project that all pairs change; its tests pass. */
export const project: Files = {
  'src/calc.js': calc,
  'test/calc.test.js': calcTest,
  'scripts/check.mjs': "console.log('checked');\n",
  'scripts/docs.mjs': "console.log('docs');\n",
  'package.json': json(manifest),
  'package-lock.json': json(lock),
  'README.md': '# calc\n',
};
