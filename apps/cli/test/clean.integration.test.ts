import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';
import { stringify } from 'yaml';

import { createBench, type Bench } from './support/bench.ts';
import { planOf } from './support/plans.ts';

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

test(
  'clean shows, records and removes what outlived its retention, and what landed stays',
  { tags: ['long'] },
  async () => {
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
    await forget(bench, { key: project, folder });
  },
);

test('after a week without cleaning, clean says what work it keeps for a day, why and until when', async () => {
  const config = stringify({ retention: { attempts: '0h', salvage: '0h' } });
  await using bench = await createBench({
    'plan.yaml': planOf('c', [{ key: 'bad', agent: failing, max_retries: 0 }]),
  });
  await bench.repo.write({ 'baton.yaml': config });
  expect((await bench.baton(['run', 'plan.yaml'])).exitCode).toBe(1);
  const cancelled = await bench.call(['cancel', 'bad']);
  expect(cancelled.exitCode, cancelled.stderr).toBe(0);
  const [project = ''] = await readdir(path.join(bench.home, 'projects'));
  const cleaning = path.join(bench.home, 'projects', project, 'cleaning');
  await mkdir(cleaning, { recursive: true });
  await writeFile(path.join(cleaning, 'last'), '');
  await utimes(path.join(cleaning, 'last'), 1e9, 1e9);
  interface Kept {
    kept: { kind: string; place: string; until: string; reason: string }[];
  }
  for (const dry of [['--dry-run'], []]) {
    const { kept } = JSON.parse((await bench.call(['clean', '--json', ...dry])).stdout) as Kept;
    expect(kept.map(({ place }) => place.split('/')[2])).toContain('salvage');
    const inMs = Date.parse(kept[0]?.until ?? '') - Date.now();
    expect(inMs / 3_600_000).toBeCloseTo(24, 0);
  }
  const said = await bench.call(['clean']);
  expect(said.stdout).toMatch(/^refs\/baton\/salvage\/.* ago/m);
  expect(said.stdout).toContain('nothing was cleaned here for more than a week');
  expect(said.stdout).toMatch(/run `baton clean` again after \d{4}-.*Z\.$/m);
  // A day later: the note that began it is a day older.
  const note = path.join(cleaning, 'gap');
  await writeFile(note, String(Number(await readFile(note, 'utf8')) - 86_400_000));
  const after = await bench.call(['clean']);
  expect(after.stdout).toMatch(/^refs\/baton\/salvage\//m);
  expect(after.stdout).toContain('Removed');
  expect(after.stdout).not.toContain('Kept');
});

/** The state of a repository is listed, and dropped only where what is lost with it was told and agreed to. */
async function forget(bench: Bench, { key, folder }: { key: string; folder: string }): Promise<void> {
  const list = async () =>
    JSON.parse((await bench.call(['projects', '--json'])).stdout) as { projects: { bytes: number }[] };
  const listed = await list();
  expect(listed.projects).toMatchObject([{ key, path: bench.repo.path, isThere: true, server: null }]);
  expect(listed.projects[0]?.bytes).toBeGreaterThan(1_000_000);
  expect((await bench.call(['projects'])).stdout).toContain(`${key}  ${bench.repo.path}`);
  const looked = await bench.call(['projects', 'drop', '.', '--dry-run']);
  expect(looked.stdout).toMatch(
    /^Would delete .*\nLost would be:\n(?: {2}c-\w+ is not over: 1 task .*\(bad\)\.\n)+/,
  );
  // A clone that cannot be read is no clone without saved work.
  const [clone = ''] = await readdir(path.join(folder, 'repos'));
  const head = path.join(folder, 'repos', clone, 'clone.git', 'HEAD');
  await rename(head, `${head}-away`);
  const unread = await bench.call(['projects', 'drop', '.', '--dry-run']);
  expect(unread.stdout).toContain(`${path.dirname(head)}, which cannot be read.`);
  await rename(`${head}-away`, head);
  const refused = await bench.call(['projects', 'drop', '.']);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toMatch(
    /^error CONFLICT: With .* work would be lost\. .*\(bad\)\..* saved of agents /,
  );
  expect(existsSync(folder)).toBe(true);
  const [, hint = ''] = /`baton ([^`]*)`$/m.exec(refused.stderr) ?? [];
  const dropped = await bench.call(hint.split(' '));
  expect(dropped.exitCode, dropped.stderr).toBe(0);
  expect(existsSync(folder)).toBe(false);
  expect(await list()).toMatchObject({ projects: [] });
  expect((await bench.call(['status'])).stderr).toContain('Nothing has run in this repository yet.');
}
