import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { createTestDatabase, tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';

import { createBench } from './support/bench.ts';
import { planOf, writes } from './support/plans.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

test(
  'outside of a repository, diff, merge and rescue name that of the run in a command that works there',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench({
      'plan.yaml': planOf('c', [{ key: 'a', agent: writes('a.txt', 'a') }]),
    });
    await using database = await createTestDatabase({
      migrate: () => Promise.resolve(),
      templateKey: 'empty',
    });
    await using outside = await tempDir();
    const env = { DATABASE_URL: database.url };
    expect((await bench.baton(['run', 'plan.yaml'], { env })).exitCode).toBe(0);
    for (const args of [['diff'], ['diff', 'a'], ['rescue', 'a'], ['merge']]) {
      const refused = await bench.call(args, { env, cwd: outside.path });
      expect([args, refused.exitCode, refused.stderr]).toEqual([
        args,
        2,
        expect.stringMatching(/^error REPO_NOT_FOUND: There is no git repository here; c-\w+ is of /),
      ]);
      const [, line = ''] = /`(baton [^`]+)`/.exec(refused.stderr.replaceAll(/\n +/g, ' ')) ?? [];
      const script = `baton() { '${process.execPath}' --conditions=@baton/source '${main}' "$@"; }; ${line}`;
      const options = { cwd: outside.path, env: { ...process.env, ...env, BATON_HOME: bench.home } };
      await expect(promisify(execFile)('sh', ['-c', script], options)).resolves.toMatchObject({ stderr: '' });
    }
    const none = await bench.call(['diff', 'nothing'], { env, cwd: outside.path });
    expect(none.stderr).toContain('error NOT_FOUND');
  },
);
