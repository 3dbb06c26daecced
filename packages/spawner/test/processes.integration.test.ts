import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { listProcessesWithMarker, processStartTime, tempDir, until } from '@baton/testkit';
import { expect, test } from 'vitest';
import { isAlive, killTree, orphanSweep, processStart, sweepMarked } from '../src/index.ts';
import { env, node } from './support/real.ts';
import { openFake, run } from './support/agents.ts';

let markers = 0;
/** A process that is nobody's: marked, in a session of its own, without a supervisor that guards it. */
async function stray() {
  const marker = `stray-${process.pid}-${(markers += 1)}`;
  const [program, ...args] = node("process.on('SIGTERM',()=>{});setInterval(()=>{},1000);console.log('up')");
  const child = spawn(program, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...env, BATON_RUN_MARKER: marker },
  });
  await once(child.stdout, 'data');
  return { marker, pid: child.pid ?? 0 };
}

test('killTree ends a process that ignores SIGTERM by force and says so; a gentle one goes without', async () => {
  const stubborn = await stray();
  expect(
    await killTree(
      { pid: stubborn.pid, pidStarted: processStart(stubborn.pid), marker: stubborn.marker },
      { graceMs: 100 },
    ),
  ).toEqual({ forced: true, left: [] });
  expect(processStartTime(stubborn.pid)).toBeUndefined();
  const gentle = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
  expect(
    await killTree({ pid: gentle.pid ?? 0, pidStarted: processStart(gentle.pid ?? 0) }, { graceMs: 5_000 }),
  ).toEqual({ forced: false, left: [] });
});

test('killTree leaves a process alone that got the pid of a dead one', async () => {
  const other = await stray();
  expect(await killTree({ pid: other.pid, pidStarted: 'another-start' }, { graceMs: 50 })).toEqual({
    forced: false,
    left: [],
  });
  expect(isAlive({ pid: other.pid, pidStarted: null })).toBe(true);
  expect(await sweepMarked(other.marker)).toEqual([]);
  expect(isAlive({ pid: other.pid, pidStarted: null })).toBe(false);
});

test('the sweep ends what a dead supervisor recorded or marked, and nothing of a living one', async () => {
  await using state = await tempDir();
  const dead = { pid: 4_000_000, pidStarted: 'long-ago' };
  const recorded = await stray();
  const living = await stray();
  mkdirSync(path.join(state.path, 'processes'));
  const record = (one: Awaited<ReturnType<typeof stray>>, supervisor: object) => {
    const content = { pid: one.pid, pidStarted: processStart(one.pid), marker: one.marker, supervisor };
    writeFileSync(path.join(state.path, 'processes', `${one.pid}.json`), JSON.stringify(content));
  };
  record(recorded, dead);
  record(living, { pid: process.pid, pidStarted: processStart(process.pid) });
  writeFileSync(path.join(state.path, 'processes', 'torn.json'), '{"pid":');
  const sweep = await orphanSweep({ stateDir: state.path });
  expect(sweep.found).toBeGreaterThanOrEqual(1);
  expect(sweep.left).toEqual([]);
  expect(isAlive({ pid: recorded.pid, pidStarted: null })).toBe(false);
  expect(isAlive({ pid: living.pid, pidStarted: null })).toBe(true);
  expect(readdirSync(path.join(state.path, 'processes'))).toEqual([`${living.pid}.json`]);
  await sweepMarked(living.marker);
});

test('an agent is recorded while it lives', async () => {
  await using state = await tempDir();
  await using a = await openFake({ steps: [{ waitFor: 'go' }] }, 'command', { stateDir: state.path });
  const records = () =>
    existsSync(path.join(state.path, 'processes')) ? readdirSync(path.join(state.path, 'processes')) : [];
  const running = run(a.runner);
  await until(() => records().length === 1, { what: 'it is recorded' });
  writeFileSync(path.join(a.folder, 'go'), '');
  expect((await running).finished.outcome).toBe('done');
  expect(records()).toEqual([]);
});

test('an agent that cannot be recorded does not run on', async () => {
  await using state = await tempDir();
  writeFileSync(path.join(state.path, 'processes'), 'in the way');
  const script = { steps: [{ waitFor: 'go' }] };
  await using a = await openFake(script, 'command', { stateDir: state.path });
  await expect(run(a.runner)).rejects.toThrow(/EEXIST|ENOTDIR/);
  expect(listProcessesWithMarker(`BATON_RUN_MARKER=${a.marker}`)).toEqual([]);
});

test('of many processes that want the same lock exactly one has it, also when its holder was killed', async () => {
  await using folder = await tempDir();
  const program = fileURLToPath(new URL('./fixtures/lock-race.ts', import.meta.url));
  const racers = Array.from({ length: 6 }, () =>
    spawn(process.execPath, [program, folder.path], { env, stdio: 'ignore' }),
  );
  const winners = () => readdirSync(folder.path).filter((name) => name.startsWith('won-'));
  const losers = () => readdirSync(folder.path).filter((name) => name.startsWith('lost-'));
  await until(() => winners().length + losers().length === 6, { what: 'all have tried', timeoutMs: 30_000 });
  expect(winners()).toHaveLength(1);
  for (const racer of racers) racer.kill('SIGKILL');
  await until(() => racers.every((racer) => processStartTime(racer.pid ?? 0) === undefined), {
    what: 'all are dead',
  });
  const heirs = Array.from({ length: 6 }, () =>
    spawn(process.execPath, [program, folder.path], { env, stdio: 'ignore' }),
  );
  await until(() => winners().length + losers().length === 12, {
    what: 'all have tried again',
    timeoutMs: 30_000,
  });
  expect(winners()).toHaveLength(2);
  for (const heir of heirs) heir.kill('SIGKILL');
});
