import { expect, test } from 'vitest';
import { ownedFiles } from './owned-files.ts';

const found = (files: string[], changed: string[], strict = true) => ownedFiles(changed, { files, strict });

test.each([
  ['below a folder', ['src'], ['src/a.ts', 'src/deep/b.ts']],
  ['a folder with a slash', ['src/'], ['src/a.ts']],
  ['a folder written from here', ['./src'], ['src/a.ts']],
  ['the file itself', ['README.md'], ['README.md']],
  ['one of several', ['docs', 'src/a.ts'], ['src/a.ts', 'docs/x.md']],
  ['the whole repository', ['.'], ['anything', 'x/y']],
  ['nothing in particular', [], ['anything']],
  [
    'the lock file of an owned manifest that changed',
    ['package.json'],
    ['package.json', 'package-lock.json'],
  ],
  ['the lock file of the workspace above it', ['packages/a'], ['packages/a/package.json', 'pnpm-lock.yaml']],
  ['nothing at all', ['src'], []],
])('%s may change: %j', (_, files, changed) => expect(found(files, changed).passed).toBe(true));

test.each([
  ['a sibling with the same beginning', ['src'], ['src2/a.ts'], 'src2/a.ts'],
  ['a file with the same beginning', ['src/a'], ['src/a.ts'], 'src/a.ts'],
  ['another file', ['src'], ['src/a.ts', 'README.md'], 'README.md'],
  ['the same in other letters', ['src'], ['SRC/a.ts'], 'SRC/a.ts'],
  ['the folder as a file in place of what was owned below it', ['src/a.ts'], ['src'], 'src'],
  ['the old path of a file that was moved in', ['src'], ['lib/a.ts', 'src/a.ts'], 'lib/a.ts'],
  ['a lock file without its manifest', ['package.json'], ['package-lock.json'], 'package-lock.json'],
  [
    'a lock file of a manifest that is not owned',
    ['src'],
    ['package.json', 'yarn.lock'],
    'package.json, yarn.lock',
  ],
  ['a lock file below or beside the manifest', ['a'], ['a/package.json', 'b/yarn.lock'], 'b/yarn.lock'],
  ['a lock file of another kind', ['package.json'], ['package.json', 'Cargo.lock'], 'Cargo.lock'],
])('%s is refused by name', (_, files, changed, named) => {
  const { passed, reason } = found(files, changed);
  expect(passed).toBe(false);
  expect(reason).toContain(`: ${named}. `);
});

test('many are counted after the first ten', () => {
  const changed = Array.from({ length: 2_000 }, (_, at) => `out/${at}`);
  const { reason } = found(['src'], changed);
  expect(reason).toContain('out/9 and 1990 more');
  expect(reason.length).toBeLessThan(400);
});
