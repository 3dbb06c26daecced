import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { workspaceSetup } from '@baton/contracts';
import { expect, test } from 'vitest';
import {
  journalFolder,
  listLeftOut,
  listSetAside,
  placeOf,
  restoreSalvage,
  salvage,
  tidyState,
  type KeepAct,
  type KeepRules,
  type KnownRun,
} from '../src/index.ts';
import { clock, exec, git } from './support/real.ts';
import { sh, verifying } from './support/verifying.ts';
import { agentGit, workspaces } from './support/workspaces.ts';

const dayMs = 86_400_000;
const rules: KeepRules = {
  attemptsMs: 30 * dayMs,
  salvageMs: 90 * dayMs,
  worktreesMs: 7 * dayMs,
  maxBytes: null,
};
const uuid = (n: number): string => `01a20000-0000-7000-8000-00000000000${n}`;
const daysAgo = (days: number): Date => new Date(clock.now().getTime() - days * dayMs);
let ids = 0;

interface Known {
  ended?: Map<string, Date>;
  runs?: KnownRun[];
  rules?: Partial<KeepRules>;
  /** The clock goes ahead by this many days. */
  later?: number;
}

function tidier(stateDir: string) {
  return async ({ ended = new Map(), runs = [], rules: given = {}, later = 0 }: Known = {}): Promise<
    KeepAct[]
  > => {
    const now = () => new Date(clock.now().getTime() + later * dayMs);
    // Rounds were made until then.
    const last = path.join(journalFolder(stateDir), 'last');
    if (existsSync(last)) utimesSync(last, now(), now());
    const { acts } = await tidyState({
      ...{ git, exec, stateDir, logsDir: path.join(stateDir, 'logs'), rules: { ...rules, ...given } },
      clock: { ...clock, now },
      ids: { uuid: () => `${(ids += 1)}` },
      endOf: ({ taskId }) => Promise.resolve(ended.get(taskId) ?? null),
      runsOf: (repoId) => Promise.resolve(repoId === 'r1' ? runs : []),
    });
    return acts.filter(({ kind }) => kind !== 'pack');
  };
}

test('stashes and lost commits of an agent stay as long as its saved tree, and without limit while its task is not settled', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  for (const n of [1, 2, 3]) {
    const owner = { taskId: uuid(n), fence: 1 };
    const space = await w.pool.acquire({ head: w.head, owner });
    execFileSync('mkfifo', [path.join(space.path, 'pipe')]);
    writeFileSync(path.join(space.path, 'a.txt'), `stashed ${n}\n`);
    await agentGit(space.path, '-c', 'user.name=x', '-c', 'user.email=x@example.com', 'stash');
    await salvage(space, owner);
    await w.pool.release(space);
  }
  const own = (n: number): string => `refs/baton/own/${uuid(n)}/1`;
  const there = async () => Promise.all([1, 2, 3].map(async (n) => (await w.clone.resolve(own(n))) !== null));
  expect(await there()).toEqual([true, true, true]);
  const ended = new Map([
    [uuid(1), daysAgo(100)],
    [uuid(2), daysAgo(40)],
  ]);
  const tidy = tidier(w.state.path);
  expect((await tidy({ ended })).map(placeOf)).toEqual([own(1), `refs/baton/left-out/${uuid(1)}/1`]);
  expect((await listLeftOut(w.clone)).map(({ taskId }) => taskId)).toEqual([uuid(2), uuid(3)]);
  expect(await there()).toEqual([false, true, true]);
  await tidy({ ended, rules: { maxBytes: 1 }, later: 1_000 });
  expect(await there()).toEqual([false, false, true]);
});

test('a worktree that was set aside goes after its time, recorded first, and never while its task is not settled', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  const top = path.join(path.dirname(w.clone.path), 'set-aside');
  const aside = (n: number, name: string, days: number): string => {
    const folder = path.join(top, uuid(n), name);
    mkdirSync(path.join(folder, 'tree', 'sub'), { recursive: true });
    writeFileSync(path.join(folder, 'tree', 'sub', 'work.txt'), name);
    chmodSync(path.join(folder, 'tree', 'sub'), 0o500);
    const record = path.join(folder, 'record.json');
    const told = { taskId: uuid(n), fence: 1, savedAt: daysAgo(days).toISOString(), why: 'w', leftOut: [] };
    writeFileSync(record, JSON.stringify(told));
    utimesSync(record, daysAgo(days), daysAgo(days));
    return folder;
  };
  const [old, late, other, open] = [
    aside(1, '1.1', 100),
    aside(1, '1.2', 10),
    aside(2, '1.1', 100),
    aside(3, '1.1', 100),
  ];
  // A round was killed in the middle of a removal: what is left is no saved work any more.
  const half = aside(4, '1.1.gone', 100);
  expect(listSetAside(w.clone).map(({ ref }) => ref)).not.toContain(`set-aside/${uuid(4)}/1.1.gone`);
  const ended = new Map([
    [uuid(1), daysAgo(95)],
    [uuid(2), daysAgo(40)],
  ]);
  const tidy = tidier(w.state.path);
  const acts = await tidy({ ended, rules: { maxBytes: 1 } });
  expect(acts.map(placeOf).sort()).toEqual([half, old].sort());
  expect([old, late, other, open, half].map((folder) => existsSync(folder))).toEqual([
    false,
    true,
    true,
    true,
    false,
  ]);
  const [record = ''] = readdirSync(journalFolder(w.state.path)).filter((name) => name.endsWith('.json'));
  expect(readFileSync(path.join(journalFolder(w.state.path), record), 'utf8')).toContain(
    'it was set aside 100 days ago',
  );
  await using into = await workspaces({});
  const target = path.join(into.state.path, 'out');
  expect(await restoreSalvage(w.clone, `set-aside/${uuid(3)}/1.1`, { into: target })).toMatchObject({
    files: 1,
  });
  expect(await tidy({ ended, rules: { salvageMs: null }, later: 1_000 })).toEqual([]);
  expect((await tidy({ ended, later: 1_000 })).map(placeOf).sort()).toEqual([late, other].sort());
  expect(readdirSync(top)).toContain(uuid(3));
});

test('what set-up made for verifications goes when none has used it for long; the one in use stays, and a gone one is made again', async () => {
  const setup = workspaceSetup.parse({ setup: ['sh', '-c', 'mkdir made; echo x >made/f'] });
  await using w = await verifying(
    { 'a.txt': 'one\n', '.gitignore': 'made\n' },
    { setup, isolation: 'overlay' },
  );
  const tidy = tidier(w.state.path);
  const setUps = path.join(w.dir, 'verify', 'setups');
  const there = (): string[] => readdirSync(setUps).filter((name) => /^[0-9a-f]{32}(\.new)?$/.test(name));
  const at = { head: w.head, onto: w.head };
  const look = (place: Parameters<typeof sh>[0]) => sh(place, 'cat made/f').then(({ stdout }) => stdout);
  await w.verifyPool.use(at, async (place) => {
    expect(await look(place)).toBe('x\n');
    await tidy({ later: 8 });
    expect(await look(place)).toBe('x\n');
  });
  const [key = ''] = there();
  mkdirSync(path.join(setUps, `${'0'.repeat(32)}.new`, 'files'), { recursive: true });
  await tidy({ later: 6 });
  expect(there().length).toBe(2);
  const acts = await tidy({ later: 8 });
  expect(acts.filter(({ kind }) => kind === 'set-up').map(placeOf)).toContain(path.join(setUps, key));
  expect(there()).toEqual([]);
  await w.verifyPool.use(at, async (place) => expect(await look(place)).toBe('x\n'));
  await tidy({ rules: { maxBytes: 1 } });
  expect(there()).toEqual([]);
});

test('what was fetched for runs goes when all that named it are long over, and stays while one may need it', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  for (const name of ['gone', 'live', 'unnamed']) await w.repo.git('branch', name);
  for (const name of ['gone', 'live', 'unnamed']) await w.clone.fetchTarget(name);
  const ref = (name: string): string =>
    `refs/baton/fetched/${createHash('sha1').update(`refs/heads/${name}`).digest('hex')}`;
  const there = async () => {
    const names = ['main', 'gone', 'live', 'unnamed'];
    const found = await Promise.all(names.map((name) => w.clone.resolve(ref(name))));
    return names.filter((_, index) => found[index] !== null);
  };
  const run = (name: string, ended: Date | null): KnownRun => ({
    sources: [`refs/heads/${name}`, w.head],
    ended,
  });
  const tidy = tidier(w.state.path);
  await tidy();
  expect(await there()).toEqual(['main', 'gone', 'live', 'unnamed']);
  const runs = [
    run('main', daysAgo(40)),
    run('gone', daysAgo(40)),
    run('main', daysAgo(10)),
    run('live', null),
  ];
  const acts = await tidy({ runs });
  expect(acts.map(placeOf)).toEqual([ref('gone')]);
  expect(await there()).toEqual(['main', 'live', 'unnamed']);
  await tidy({ runs: runs.map((one) => ({ ...one, ended: one.ended ?? daysAgo(50) })), later: 25 });
  expect(await there()).toEqual([]);
  expect(await w.clone.fetchTarget('live')).toBe(w.head);
});
