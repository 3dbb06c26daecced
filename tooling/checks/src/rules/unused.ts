import { lines, run } from '../run.ts';
import type { Rule } from '../rule.ts';

/** knip finds files, exports and dependencies that nothing uses. */
export const unused: Rule = {
  name: 'unused',
  what: 'no export, file or dependency is without a user',
  async check() {
    const { exitCode, stdout, stderr } = await run(['knip', '--no-progress', '--reporter=compact']);
    if (exitCode === 0) return [];
    return [...lines(stdout), ...lines(stderr)];
  },
};
