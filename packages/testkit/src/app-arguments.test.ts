import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { appArguments } from './app-arguments.ts';

const run = promisify(execFile);

test('a program of an app is started from source, or as it was built where the environment says so', async () => {
  const source = appArguments('cli', {});
  const built = appArguments('cli', { BATON_TEST_BUILT: '1' });
  expect(source.at(-1)).toMatch(/apps\/cli\/src\/main\.ts$/);
  expect(built).toEqual([expect.stringMatching(/apps\/cli\/dist\/main\.js$/)]);
  for (const args of [source, ...(existsSync(built[0] ?? '') ? [built] : [])])
    expect((await run(process.execPath, [...args, '--version'])).stdout).toMatch(/^\d/);
});
