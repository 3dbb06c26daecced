import { lines, pnpm } from '../run.ts';
import type { Rule } from '../rule.ts';

/** Type-checks every package with its tests and type tests; turbo repeats only what changed. */
export const types: Rule = {
  name: 'types',
  what: 'every package and its type tests pass the type checker',
  async check() {
    const { exitCode, stdout, stderr } = await pnpm(
      'exec',
      'turbo',
      'run',
      'typecheck',
      '--concurrency=2',
      '--continue',
      '--output-logs=errors-only',
    );
    if (exitCode === 0) return [];
    const errors = lines(stdout).filter((line) => /error TS|npm error|ERR_PNPM/.test(line));
    return errors.length > 0 ? errors : lines(stdout + stderr).slice(-20);
  },
};
