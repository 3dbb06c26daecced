import path from 'node:path';
import { root } from '@baton/docs';
import { ESLint } from 'eslint';
import type { Rule } from '../rule.ts';

/** Runs `eslint.config.mjs`: what needs types, and what one syntax node tells. */
export const lint: Rule = {
  name: 'lint',
  what: 'no any, no floating promise, no open switch, no default export, no ambient time, chance or environment, no sleeping, skipped or unfinished test or code',
  check: () => problems(new ESLint({ cwd: root })),
  async fix() {
    const results = await new ESLint({ cwd: root, fix: true }).lintFiles('.');
    await ESLint.outputFixes(results);
    return results.filter((result) => result.output !== undefined).map((result) => relative(result.filePath));
  },
};

async function problems(eslint: ESLint): Promise<string[]> {
  const results = await eslint.lintFiles('.');
  return results.flatMap(({ filePath, messages }) =>
    messages.map(
      ({ line, message, ruleId }) => `${relative(filePath)}:${line}: ${message} (${ruleId ?? 'syntax'})`,
    ),
  );
}

const relative = (file: string) => path.relative(root, file);
