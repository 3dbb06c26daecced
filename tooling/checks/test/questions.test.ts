import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { relativeLinks } from '../src/rules/links.ts';

const root = path.join(import.meta.dirname, '../../..');
const read = (file: string) => readFile(path.join(root, file), 'utf8');

it('answers a dozen questions of somebody new in at most three links from the README', async () => {
  expect(relativeLinks(await read('README.md')).map(({ file }) => file)).toContain('docs/questions.md');
  const [, ...answers] = (await read('docs/questions.md')).split(/^## /m);
  expect(answers.length).toBeGreaterThanOrEqual(12);
  for (const answer of answers) {
    const [question = '', ...text] = answer.split('\n');
    expect(question.trimEnd()).toMatch(/\?$/);
    const links = relativeLinks(text.join('\n')).map(({ file }) => path.join(root, 'docs', file));
    const found = await Promise.all(
      links.map((file) =>
        stat(file).then(
          () => true,
          () => false,
        ),
      ),
    );
    expect(found, question).not.toContain(false);
    const isPlace = (file: string) => /\/(?:packages|apps|tooling)\//.test(file);
    expect(links.some(isPlace), `${question} names a place in the code`).toBe(true);
  }
});
