import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { root } from '@baton/docs';
import { lines, run } from '../run.ts';
import type { Rule } from '../rule.ts';

/** Each check uses all processors for most of its time: two at once fill the gaps. */
const atOnce = 2;

/** Type-checks every package with its tests and type tests, by the native compiler. */
export const types: Rule = {
  name: 'types',
  what: 'every package and its type tests pass the type checker',
  async check() {
    const compiler = createRequire(import.meta.url).resolve('typescript-native/package.json');
    const tsc = path.join(compiler, '../bin/tsc');
    const waiting = globSync('{packages,apps,tooling}/*/package.json', { cwd: root })
      .filter((file) => readFileSync(path.join(root, file), 'utf8').includes('"typecheck"'))
      .map((file) => path.dirname(file));
    const problems: string[] = [];
    const lane = async () => {
      for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift()) {
        const cwd = path.join(root, folder);
        const ended = await run([process.execPath, tsc, '--noEmit', '--pretty', 'false'], { cwd });
        if (ended.exitCode === 0) continue;
        problems.push(...lines(ended.stdout + ended.stderr).map((line) => `${folder}/${line}`));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
    return problems;
  },
};
