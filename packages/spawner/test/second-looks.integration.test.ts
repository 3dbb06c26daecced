import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tempDir, until } from '@baton/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { insidePath } from '../src/in-process/tools/inside.ts';
import { isAlive, killTree, orphanSweep, processStart } from '../src/index.ts';
import { killAll, sweepMarked } from '../src/process/kill-tree.ts';
import {
  orphanedProcesses,
  processesOfSupervisor,
  supervisorId,
  type ProcessRef,
} from '../src/process/process-table.ts';
import { tryFileLock } from '../src/process/file-lock.ts';
import { env, node } from './support/real.ts';

let markers = 0;
const freshMarker = () => `looks-${process.pid}-${(markers += 1)}`;

/** A process in a session of its own that ends by SIGKILL alone, with these variables. */
async function stubborn(variables: Record<string, string>): Promise<ProcessRef & { pidStarted: string }> {
  const [program, ...args] = node("process.on('SIGTERM',()=>{});setInterval(()=>{},1000);console.log('up')");
  const child = spawn(program, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...env, ...variables },
  });
  const pid = child.pid ?? 0;
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return { pid, pidStarted: processStart(pid) ?? '' };
}

const alive = (refs: readonly ProcessRef[]) => refs.map((ref) => isAlive(ref));

test('killing looks again after it has seen nothing once: a process may fork between two looks', async () => {
  const late = await stubborn({});
  const looks: ProcessRef[][] = [[], [late]];
  expect(await killAll(() => looks.shift() ?? [])).toEqual([]);
  // It was seen once only, so nothing has waited for its end.
  await until(async () => (isAlive(late) ? undefined : true), { what: 'it has ended' });
});

test('all that carries a mark ends, in whatever session, though the pid of its leader is given to another', async () => {
  const marker = freshMarker();
  const marked = [await stubborn({ BATON_RUN_MARKER: marker }), await stubborn({ BATON_RUN_MARKER: marker })];
  const others = [await stubborn({ BATON_RUN_MARKER: `${marker}-2` }), await stubborn({})];
  const given = { pid: others[1]?.pid ?? 0, pidStarted: 'an earlier start', marker };
  expect(await killTree(given, { graceMs: 20 })).toEqual({ forced: false, left: [] });
  expect([alive(marked), alive(others)]).toEqual([
    [false, false],
    [true, true],
  ]);
  expect(await sweepMarked(`${marker}-2`)).toEqual([]);
  expect(alive(others)).toEqual([false, true]);
});

test('a process is an orphan when its Baton is dead, also where another has its pid, but not one of other machines', async () => {
  const [namespace = ''] = supervisorId().split(':');
  const under = (id: string) => stubborn({ BATON_SUPERVISOR: id });
  const orphans = [
    await under(`${namespace}:4000000:long-ago`),
    await under(`${namespace}:${process.pid}:another-start`),
  ];
  const kept = [
    await under(`${namespace}1:4000000:long-ago`),
    await under(supervisorId()),
    await stubborn({ NOT_BATON_SUPERVISOR: `${namespace}:4000000:long-ago` }),
  ];
  const found = orphanedProcesses().map(({ pid }) => pid);
  // The sweep of another process may have ended them already.
  expect(orphans.map((ref) => found.includes(ref.pid) || !isAlive(ref))).toEqual([true, true]);
  expect(kept.map(({ pid }) => found.includes(pid))).toEqual([false, false, false]);
  const ours = processesOfSupervisor(supervisorId()).map(({ pid }) => pid);
  expect([...orphans, ...kept].filter(({ pid }) => ours.includes(pid))).toEqual([kept[1]]);
  expect(kept.map((ref) => isAlive(ref))).toEqual([true, true, true]);
});

test('the sweep ends each of several recorded processes, but none that has only the number of one', async () => {
  await using state = await tempDir();
  const folder = path.join(state.path, 'processes');
  mkdirSync(folder);
  const refs = [await stubborn({}), await stubborn({}), await stubborn({}), await stubborn({})];
  const dead = { pid: 4_000_000, pidStarted: 'long-ago' };
  const supervisors = [dead, { pid: process.pid, pidStarted: 'another-start' }, dead, dead];
  for (const [at, { pid, pidStarted }] of refs.entries()) {
    const started = [pidStarted, pidStarted, 'an earlier start', null][at];
    const record = { pid, pidStarted: started, marker: freshMarker(), supervisor: supervisors[at] };
    writeFileSync(path.join(folder, `${at}.json`), JSON.stringify(record));
  }
  writeFileSync(path.join(folder, '0-torn.json'), '{"pid":');
  expect((await orphanSweep({ stateDir: state.path })).left).toEqual([]);
  expect(alive(refs)).toEqual([false, false, true, true]);
  expect(readdirSync(folder)).toEqual([]);
});

test('a lock is held by its very holder alone: not by who has its number now, and not by an earlier generation', async () => {
  await using folder = await tempDir();
  const holder = (generation: number, text: string) => {
    mkdirSync(path.join(folder.path, String(generation)), { recursive: true });
    writeFileSync(path.join(folder.path, String(generation), 'holder'), text);
  };
  const ours = `${process.pid}\n${processStart(process.pid)}\n`;
  holder(2, ours);
  holder(10, `${process.pid}\nanother-start\n`);
  const lock = tryFileLock(folder.path);
  expect(lock).not.toBeNull();
  expect(tryFileLock(folder.path)).toBeNull();
  expect(readdirSync(folder.path)).toEqual(['11']);
  lock?.release();
  const next = tryFileLock(folder.path);
  expect([next !== null, readdirSync(folder.path)]).toEqual([true, ['12']]);
  holder(3, '4000000\nlong-ago\n');
  expect(tryFileLock(folder.path)).toBeNull();
});

test('a folder beside the workspace with the same beginning is outside, by name and by link', async () => {
  await using folder = await tempDir();
  const root = path.join(folder.path, 'work');
  for (const name of ['work/src', 'work-2', 'work/.git', 'work/.github'])
    mkdirSync(path.join(folder.path, name), { recursive: true });
  writeFileSync(path.join(folder.path, 'work-2', 'x'), 'theirs');
  symlinkSync('../work-2', path.join(root, 'link'));
  symlinkSync('.git', path.join(root, 'git-link'));
  symlinkSync('nowhere', path.join(root, 'dangling'));
  for (const outside of [
    '../work-2/x',
    'link/x',
    'link/new',
    '.git/config',
    '.GIT/config',
    'src/../.git/x',
    'git-link/x',
    'dangling',
    'dangling/x',
    path.join(folder.path, 'work-2', 'x'),
  ])
    expect(() => insidePath(root, outside), outside).toThrow(
      expect.objectContaining({ code: 'PATH_OUTSIDE' }),
    );
  for (const inside of [
    'src/a.ts',
    'new/deep/a.ts',
    '..a',
    '.github/x',
    '.gitignore',
    path.join(root, 'src'),
  ])
    expect(existsSync(path.dirname(insidePath(root, inside))) || inside.startsWith('new')).toBe(true);
  expect(readFileSync(path.join(folder.path, 'work-2', 'x'), 'utf8')).toBe('theirs');
});
