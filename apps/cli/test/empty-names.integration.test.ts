import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';

import { createBench } from './support/bench.ts';

test.each<[words: string[], at: string]>([
  [['status', '--repo', ''], '--repo'],
  [['status', '--repo='], '--repo'],
  [['clean', '--repo', ''], '--repo'],
  [['rescue', 'a', '--into', ''], '--into'],
  [['export', ''], '<to>'],
  [['import', ''], '<from>'],
  [['archive', '--archive', ''], '--archive'],
  [['plan', 'check', ''], '<plan.yaml>'],
  [['projects', 'drop', '', '--yes'], '<project>'],
])('%j names no place, and is refused with the help that is there', async (words, at) => {
  await using bench = await createBench();
  const { exitCode, stderr, stdout } = await bench.call([...words, '--json']);
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(at) as string });
  const { error } = JSON.parse(stdout) as { error: Record<string, string> };
  expect(error).toMatchObject({ code: 'INVALID_INPUT', at, message: `${at} is an empty text.` });
  const [, help = ''] = /`baton (help[^`]*)`/.exec(error['fix'] ?? '') ?? [];
  expect(await bench.call(help.split(' '))).toMatchObject({ exitCode: 0 });
  expect(await bench.repo.git('status', '--porcelain', '--ignored')).toBe('');
});

test('drops no project by the first letters of its name, and the one whose name is typed', async () => {
  await using bench = await createBench();
  const [mine, other] = ['my-app-1a2b3c4d', 'my-lib-5e6f7a8b'].map((key) =>
    path.join(bench.home, 'projects', key),
  );
  for (const dir of [mine, other]) await mkdir(dir ?? '', { recursive: true });
  for (const typed of ['m', 'my', 'my-ap', 'my-app-1a2b']) {
    const { exitCode, stderr } = await bench.call(['projects', 'drop', typed, '--yes']);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringContaining('Did you mean my-') as string,
    });
  }
  expect(await readdir(path.join(bench.home, 'projects'))).toHaveLength(2);
  expect(await bench.call(['projects', 'drop', 'my-app', '--yes'])).toMatchObject({ exitCode: 0 });
  expect(await readdir(path.join(bench.home, 'projects'))).toEqual(['my-lib-5e6f7a8b']);
});
