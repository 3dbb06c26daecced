import { tamperFlags } from '../../src/index.ts';
import type { Files } from './repos.ts';
import { git } from './run.ts';
import { changeOf } from './verifying.ts';

export const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
export const scripts = (some: Record<string, string>): Files => ({ 'package.json': json({ scripts: some }) });

/** What else lies in each repository: a product, its tests and tools that no gate runs. */
const product: Files = {
  'src/index.js': 'exports.half = (a) => a / 2;\n',
  'src/check.js': 'exports.check = 1;\n',
  'calc.sh': 'half() { echo 2; }\n',
  'scripts/docs.js': "console.log('docs');\n",
  'docs/check.md': '# check\n',
  'test/calc.test.js': "test('halves', () => {\n  expect(half(4)).toBe(2);\n});\n",
};
export const honest: Files = {
  'src/index.js': 'exports.half = (a) => a * 0.5;\n',
  'src/check.js': 'exports.check = 2;\n',
  'calc.sh': 'half() { echo $(($1 / 2)); }\n',
  'scripts/docs.js': "console.log('more');\n",
  'docs/check.md': '# checks\n',
  'test/calc.test.js':
    "test('halves', () => {\n  expect(half(4)).toBe(2);\n  expect(half(2)).toBe(1);\n});\n",
};

export async function flags(
  { before, command }: { before: Files; command: readonly string[] },
  after: Files,
): Promise<string[]> {
  const change = await changeOf({ ...product, ...before }, after);
  const gates = [{ name: 'g', command: [...command], required: true, timeout: 60_000 }];
  const options = { git, clone: change.root, from: change.base, to: change.head, gates };
  return (await tamperFlags(options)).map(({ text }) => text);
}
