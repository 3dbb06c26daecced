import { readdir } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';
import { stringify } from 'yaml';

import { createBench } from './support/bench.ts';

interface Cleaned {
  removed: { kind: string; place: string; reason: string }[];
}

const agent = { command: ['sh', '-c', 'cat >/dev/null; echo x >> new.txt'] };
const failing = { command: ['sh', '-c', 'cat >/dev/null; echo half > half.txt; exit 3'] };
const plan = {
  name: 'c',
  stages: [
    {
      name: 's',
      steps: [
        { key: 'good', title: 'Good', agent },
        { key: 'bad', title: 'Bad', agent: failing, max_retries: 0 },
      ],
    },
  ],
};

test('clean shows, records and removes what outlived its retention, and what landed stays', async () => {
  const config = (retention: object) => stringify({ retention });
  await using bench = await createBench({ 'plan.yaml': stringify(plan) });
  await bench.repo.write({ 'baton.yaml': config({ attempts: '0h', salvage: 'never', worktrees: '0h' }) });
  const ran = await bench.baton(['run', 'plan.yaml']);
  expect(ran.stderr + ran.stdout).toContain('1 of 2 tasks landed');
  const read = async (...args: string[]) =>
    JSON.parse((await bench.baton(['clean', '--json', ...args])).stdout) as Cleaned;
  const kinds = ({ removed }: Cleaned): string[] => [...new Set(removed.map(({ kind }) => kind))].sort();
  const planned = await read('--dry-run');
  expect(kinds(planned)).toEqual(['pack', 'ref', 'worktree']);
  const refs = planned.removed.filter(({ kind }) => kind === 'ref').map(({ place }) => place);
  // The head of its attempt, and what was fetched for the run, which is over.
  expect([...new Set(refs.map((ref) => ref.split('/')[2]))].sort()).toEqual(['attempts', 'fetched']);
  expect((await read('--dry-run')).removed.length).toBe(planned.removed.length);
  const done = await read();
  expect(kinds(done)).toEqual(kinds(planned));
  const [project = ''] = await readdir(path.join(bench.home, 'projects'));
  const folder = path.join(bench.home, 'projects', project);
  // A log that was written lately may still be somebody's.
  expect((await readdir(path.join(folder, 'logs'))).join()).toContain('run-');
  const records = await readdir(path.join(folder, 'cleaning'));
  expect(records.filter((name) => name.endsWith('.json')).length).toBeGreaterThan(0);
  expect((await bench.baton(['rescue', 'bad'])).stdout).toContain('refs/baton/salvage/');
  const branch = await bench.repo.git('for-each-ref', '--format=%(refname)', 'refs/heads/baton');
  expect(await bench.repo.git('show', `${branch}:new.txt`)).toBe('x');
  const again = await bench.baton(['run', 'plan.yaml']);
  expect(again.stderr + again.stdout).toContain('1 of 2 tasks landed');
});
