import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { createTestDatabase, until } from '@baton/testkit';
import { expect, test } from 'vitest';

import { createBench } from './support/bench.ts';
import { planOf, waits } from './support/plans.ts';

test('drop is refused while a run that another database records is at work, and names what of it would be lost afterwards', async () => {
  await using bench = await createBench();
  await using database = await createTestDatabase({ migrate: () => Promise.resolve(), templateKey: 'empty' });
  const env = { DATABASE_URL: database.url };
  const go = path.join(bench.home, 'go');
  const plan = planOf('c', [
    { key: 'a', agent: waits('a.txt', { gate: go }) },
    { key: 'b', approval: true, agent: waits('b.txt', { gate: go }) },
  ]);
  await bench.repo.write({ 'plan.yaml': plan });
  const run = bench.start(['run', 'plan.yaml'], { env });
  await until(() => existsSync(`${go}.started`), { what: 'an agent is at work', timeoutMs: 60_000 });
  const [name = ''] = await readdir(path.join(bench.home, 'projects'));
  const folder = path.join(bench.home, 'projects', name);
  for (const call of [{}, { env }]) {
    const refused = await bench.call(['projects', 'drop', '.', '--yes'], call);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(new RegExp(`is in use\\. At work on it: .*pid ${run.pid} on `));
    expect(refused.stderr).toContain('/tree');
  }
  await writeFile(go, '');
  // Between two agents it holds no worktree.
  await until(
    async () => /"PENDING_APPROVAL"/.test((await bench.call(['tasks', '--json'], { env })).stdout),
    {
      what: 'one waits for a yes',
      timeoutMs: 60_000,
    },
  );
  run.child.kill('SIGINT');
  await run.ended;

  const blind = await bench.call(['projects', 'drop', '.']);
  expect(blind.stderr).toMatch(/work would be lost\. Work of runs that another database records, /);
  const told = await bench.call(['projects', 'drop', '.'], { env });
  expect(told.stderr).toMatch(/work would be lost\. c-\w+ is not over: 1 task .*\(b\)/);
  expect(told.stderr).not.toContain('another database');
  expect(existsSync(folder)).toBe(true);
  expect((await bench.call(['projects', 'drop', '.', '--yes'], { env })).exitCode).toBe(0);
  expect(existsSync(folder)).toBe(false);
});
