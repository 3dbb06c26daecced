import path from 'node:path';
import { root } from '@baton/docs';
import { ESLint } from 'eslint';
import { describe, expect, it } from 'vitest';

// Where CI is set, the parser takes every file to be as it is on disk; here texts differ from the disk.
const parserOptions = {
  project: 'packages/contracts/tsconfig.json',
  disallowAutomaticSingleRunInference: true,
};
const eslint = new ESLint({ cwd: root, overrideConfig: { languageOptions: { parserOptions } } });

/** Rules that a text breaks in place of an existing file: typed rules need a file that a project knows. */
async function broken(text: string, file: string): Promise<string[]> {
  const results = await eslint.lintText(text, { filePath: path.join(root, file) });
  return results.flatMap((result) => result.messages.map((message) => message.ruleId ?? message.message));
}

const source = 'packages/contracts/src/error.ts';
const test = 'packages/contracts/src/error.test.ts';

describe('the lint rules', () => {
  it.each([
    ['any', 'export const a = (x: any) => x;', '@typescript-eslint/no-explicit-any'],
    [
      'a floating promise',
      'export function a() { Promise.resolve(1); }',
      '@typescript-eslint/no-floating-promises',
    ],
    [
      'a switch that misses a case, default or not',
      `export function a(x: 'p' | 'q') { switch (x) { case 'p': return 1; default: return 2; } }`,
      '@typescript-eslint/switch-exhaustiveness-check',
    ],
    ['a default export', 'export default 1;', 'no-restricted-syntax'],
    ['export *', `export * from './units.ts';`, 'no-restricted-syntax'],
    ['the clock of the process', 'export const a = Date.now();', 'no-restricted-properties'],
    ['the date of now', 'export const a = new Date();', 'no-restricted-syntax'],
    ['performance.now', 'export const a = performance.now();', 'no-restricted-properties'],
    ['chance', 'export const a = Math.random();', 'no-restricted-properties'],
    [
      'random ids',
      `import { randomUUID } from 'node:crypto'; export const a = randomUUID();`,
      'no-restricted-imports',
    ],
    ['the environment', 'export const a = process.env.HOME;', 'no-restricted-properties'],
    [
      'four parameters',
      'export const f = (a: 1, b: 1, c: 1, d: 1) => [a, b, c, d];',
      '@typescript-eslint/max-params',
    ],
    ['unfinished code', '// TO' + 'DO: later\nexport const a = 1;', 'no-warning-comments'],
  ])('refuse %s in production code', async (_, text, rule) => {
    expect(await broken(text, source)).toContain(rule);
  });

  it.each([
    ['a skipped test', `import { it } from 'vitest'; it.skip('x', () => {});`, 'no-restricted-syntax'],
    ['a lone test', `import { it } from 'vitest'; it.only('x', () => {});`, 'no-restricted-syntax'],
    ['a mocked module', `import { vi } from 'vitest'; vi.mock('./error.ts');`, 'no-restricted-properties'],
    ['a sleep', `await new Promise((resolve) => setTimeout(resolve, 10));`, 'no-restricted-syntax'],
    [
      'an imported sleep',
      `import { setTimeout } from 'node:timers/promises'; await setTimeout(1);`,
      'no-restricted-imports',
    ],
  ])('refuse %s', async (_, text, rule) => {
    expect(await broken(text, test)).toContain(rule);
  });

  it('let a date of given time, a passed clock and a complete switch be', async () => {
    const text = `
      export const at = (ms: number, clock: { now(): Date }) => [new Date(ms), clock.now()];
      export function a(x: 'p' | 'q') { switch (x) { case 'p': return 1; case 'q': return 2; } }
    `;
    expect(await broken(text, source)).toEqual([]);
  });
});
