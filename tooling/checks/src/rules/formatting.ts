import { lines, run } from '../run.ts';
import type { Rule } from '../rule.ts';

/** Prettier has the last word on layout. */
export const formatting: Rule = {
  name: 'format',
  what: 'every file is laid out as prettier does it',
  async check() {
    const { exitCode, stdout, stderr } = await run(['prettier', '--list-different', '.']);
    if (exitCode === 0) return [];
    return [...lines(stdout), ...lines(stderr)];
  },
  async fix() {
    const { stdout } = await run(['prettier', '--list-different', '.']);
    await run(['prettier', '--write', '--log-level=warn', '.']);
    return lines(stdout);
  },
};
