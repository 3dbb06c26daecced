import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { runReadmeExample, tempDir } from '../src/index.ts';

const packages = fileURLToPath(new URL('../../', import.meta.url));
const readmeOf = (name: string) => path.join(packages, name, 'README.md');

test('the example of this package works', async () => {
  expect(await runReadmeExample(readmeOf('testkit'))).toBe("[ 'file src/a.ts' ]\ntrue\n");
});

// Packages that this one is built on cannot depend on it, so their examples are run here.
test('the example of embedded-postgres works', async () => {
  const printed = await runReadmeExample(readmeOf('embedded-postgres'));
  expect(printed).toBe('PostgreSQL 18 on 127.0.0.1, database shop\n');
});

test('an example with a type error, one that throws, and none at all are refused, and nothing is left behind', async () => {
  await using folder = await tempDir();
  const readme = path.join(folder.path, 'README.md');
  const types = path.join(packages, 'testkit/node_modules/@baton/tsconfig/base.json');
  await writeFile(
    path.join(folder.path, 'tsconfig.json'),
    JSON.stringify({ extends: types, compilerOptions: { types: [] } }),
  );
  await writeFile(path.join(folder.path, 'package.json'), '{ "type": "module" }');
  const run = async (text: string) => {
    await writeFile(readme, text);
    return runReadmeExample(readme);
  };
  await expect(run('```ts\nconst n: number = "text";\n```\n')).rejects.toThrow(/TS2322/);
  await expect(run('```ts\nthrow new Error("at run time");\n```\n')).rejects.toThrow(/at run time/);
  await expect(run('# Nothing\n')).rejects.toThrow(/no ```ts block/);
  expect((await readdir(folder.path)).sort()).toEqual(['README.md', 'package.json', 'tsconfig.json']);
});
