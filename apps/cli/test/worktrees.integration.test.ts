import { mkdirSync } from 'node:fs';
import path from 'node:path';

import { tempDir } from '@baton/testkit';
import { projectState } from '@baton/worker/state';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';

import { createBench } from './support/bench.ts';

const agent = { command: ['sh', '-c', 'cat >/dev/null; echo x > new.txt'] };
const plan = { name: 'c', stages: [{ name: 's', steps: [{ key: 'a', title: 'A', agent }] }] };

test('in a worktree where nothing has run, a command names the one whose runs may be meant, and the way there', async () => {
  await using bench = await createBench({ 'plan.yaml': stringify(plan) });
  await using folder = await tempDir();
  const cwd = path.join(folder.path, 'linked');
  await bench.repo.git('worktree', 'add', '--quiet', '--detach', cwd);
  const nothing = async () =>
    expect((await bench.call(['status'], { cwd })).stderr).toContain(
      'Nothing has run in this repository yet.',
    );
  await nothing();
  // Commands keep state of a repository in which nothing ran, too.
  mkdirSync(projectState({ home: bench.home, repoRoot: bench.repo.path }).dir, { recursive: true });
  await nothing();
  await bench.baton(['run', 'plan.yaml']);
  const refused = await bench.call(['status'], { cwd });
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain(`runs of the same repository were started in ${bench.repo.path}.`);
  const [, hint = ''] = /`baton ([^`]*)`/.exec(refused.stderr) ?? [];
  const shown = await bench.call(hint.split(' '), { cwd });
  expect(shown.exitCode, shown.stderr).toBe(0);
  expect(shown.stdout).toContain('1 of 1 task landed');
});
