import { createRequire } from 'node:module';
import path from 'node:path';
import { lines, run } from '../run.ts';
import type { Rule } from '../rule.ts';

/** All packages in one program: each would read the sources of those that it builds on again. */
const project = 'tooling/tsconfig/all.json';

/** Type-checks every package with its tests and type tests, by the native compiler. */
export const types: Rule = {
  name: 'types',
  what: 'every package and its type tests pass the type checker',
  async check() {
    const compiler = createRequire(import.meta.url).resolve('typescript-native/package.json');
    const tsc = path.join(compiler, '../bin/tsc');
    const ended = await run([process.execPath, tsc, '--project', project, '--pretty', 'false']);
    return ended.exitCode === 0 ? [] : lines(ended.stdout + ended.stderr);
  },
};
