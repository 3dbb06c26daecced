import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '@baton/docs';
import { repositoryFiles } from '../files.ts';
import type { Rule } from '../rule.ts';

const cap = 300;

/** No source or test file grows beyond what fits into one head. */
export const fileLength: Rule = {
  name: 'file-length',
  what: `no source or test file is longer than ${cap} lines`,
  async check() {
    const files = await repositoryFiles(/\.(ts|tsx|mts|mjs|js|sql)$/);
    return files
      .filter((file) => !file.includes('/migrations/') && !file.includes('fixtures/'))
      .map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }))
      .filter(({ text }) => !isGenerated(text))
      .map(({ file, text }) => ({ file, count: lineCount(text) }))
      .filter(({ count }) => count > cap)
      .map(({ file, count }) => `${file}: ${count} lines`);
  },
};

const isGenerated = (text: string) => text.slice(0, text.indexOf('\n')).endsWith("Don't edit.");

/** Lines of a text; a last line break does not start another. */
export function lineCount(text: string): number {
  return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
}
