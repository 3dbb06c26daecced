import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { tempDir, until } from '@baton/testkit';
import { expect, test } from 'vitest';
import { isAlive, orphanSweep, processStart, type ProcessRef } from '../src/index.ts';
import { limitMarks, markOf } from '../src/process/limit-mark.ts';
import { createExec } from '../src/process/exec.ts';
import { openIn, run, task } from './support/agents.ts';
import { clock, env } from './support/real.ts';

const onLinux = test.runIf(limitMarks().works);
const fixture = fileURLToPath(new URL('./fixtures/escaping.ts', import.meta.url));

/** Ways to leave session, group, parent, environment and folder; each writes its pid into `$OUT` and stays. */
const ways = {
  'env-setsid':
    'env -i OUT="$OUT" setsid sh -c \'echo $$ >"$OUT/env-setsid.new" && mv "$OUT/env-setsid.new" "$OUT/env-setsid"; exec sleep 300\' &',
  'double-fork':
    '( ( cd / && nohup env -i OUT="$OUT" setsid sh -c \'echo $$ >"$OUT/double-fork.new" && mv "$OUT/double-fork.new" "$OUT/double-fork"; exec sleep 300\' >/dev/null 2>&1 </dev/null & ) & )',
  stubborn:
    'env -i OUT="$OUT" setsid sh -c \'trap "" TERM HUP INT; echo $$ >"$OUT/stubborn.new" && mv "$OUT/stubborn.new" "$OUT/stubborn"; while :; do sleep 1; done\' &',
  daemon: `env -i OUT="$OUT" "${process.execPath}" -e '
    const { spawn } = require("node:child_process");
    const child = spawn("sh", ["-c", "cd /; exec sleep 300"], { detached: true, stdio: "ignore", env: {} });
    require("node:fs").writeFileSync(process.env.OUT + "/daemon", String(child.pid));
    child.unref();'`,
} as const;
const names = Object.keys(ways) as (keyof typeof ways)[];

/** Starts all of them, waits until they have begun, then goes on. */
const escape = (out: string, then: string): string =>
  [
    `OUT='${out}'; export OUT`,
    ...Object.values(ways).map((way) => `${way.trim()}\n`),
    `for name in ${names.join(' ')}; do until [ -s "$OUT/$name" ]; do :; done; done`,
    then,
  ].join('\n');

const begun = (out: string): boolean => names.every((name) => existsSync(path.join(out, name)));
/** What escaped, as it was when it began. */
function escaped(out: string): ProcessRef[] {
  return names.map((name) => {
    const pid = Number(readFileSync(path.join(out, name), 'utf8'));
    return { pid, pidStarted: processStart(pid) };
  });
}
const living = (all: readonly ProcessRef[]) => all.filter((one) => one.pidStarted !== null && isAlive(one));

onLinux(
  'what an agent leaves in sessions of its own, with a cleared environment, ends with its attempt',
  async () => {
    await using out = await tempDir();
    await using a = await openIn({
      command: ['sh', '-c', escape(out.path, 'until [ -e go ]; do sleep 0.02; done')],
    });
    const running = run(a.runner);
    await until(() => begun(out.path), { what: 'all of it runs' });
    const all = escaped(out.path);
    expect(living(all)).toHaveLength(names.length);
    writeFileSync(path.join(a.folder, 'go'), '');
    expect((await running).finished).toMatchObject({ outcome: 'done', exitCode: 0 });
    expect(living(all)).toEqual([]);
  },
);

onLinux('so it does with an attempt that is stopped, and with one whose time is up', async () => {
  for (const how of ['stopped', 'late'] as const) {
    await using out = await tempDir();
    await using a = await openIn({ command: ['sh', '-c', escape(out.path, 'sleep 300')] });
    const stop = new AbortController();
    const request = task('', { signal: stop.signal, ...(how === 'late' ? { timeoutMs: 3_000 } : {}) });
    const running = run(a.runner, request);
    await until(() => begun(out.path), { what: 'all of it runs' });
    const all = escaped(out.path);
    if (how === 'stopped') stop.abort('user_interrupt');
    expect((await running).finished.outcome).toBe(how === 'late' ? 'timeout' : 'cancelled');
    expect(living(all)).toEqual([]);
  }
});

async function supervised(folder: string) {
  const out = path.join(folder, 'out');
  mkdirSync(out);
  const args = [fixture, `escaping-${path.basename(folder)}`, folder, escape(out, 'sleep 300')];
  const child = spawn(process.execPath, ['--conditions=@baton/source', ...args], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await until(() => begun(out), { what: 'all of it runs', timeoutMs: 20_000 });
  return { child, all: escaped(out) };
}

onLinux('kill -9 of the supervisor ends it, too', async () => {
  await using folder = await tempDir();
  const { child, all } = await supervised(folder.path);
  expect(living(all)).toHaveLength(names.length);
  child.kill('SIGKILL');
  await until(() => living(all).length === 0, { what: 'all of it is gone', timeoutMs: 20_000 });
});

onLinux('when the guard was killed as well, the next start ends it', async () => {
  await using folder = await tempDir();
  const { child, all } = await supervised(folder.path);
  const guards = readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && isGuardOf(pid, child.pid ?? 0));
  expect(guards).toHaveLength(1);
  process.kill(guards[0] ?? 0, 'SIGKILL');
  child.kill('SIGKILL');
  const supervisor = { pid: child.pid ?? 0, pidStarted: null };
  await until(() => !isAlive(supervisor), { what: 'the supervisor is dead' });
  expect(living(all)).toHaveLength(names.length);
  expect((await orphanSweep({ stateDir: folder.path })).left).toEqual([]);
  expect(living(all)).toEqual([]);
});

function isGuardOf(pid: number, parent: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return (
      status.includes(`\nPPid:\t${parent}\n`) &&
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('reaper')
    );
  } catch {
    return false;
  }
}

onLinux('an agent that died before its leftovers were ended is found by its record', async () => {
  await using state = await tempDir();
  const marker = `left-${path.basename(state.path)}`;
  const stray = spawn('prlimit', [`--rttime=${markOf(marker)}:`, 'sleep', '300'], {
    env: {},
    detached: true,
    stdio: 'ignore',
  });
  const one = { pid: stray.pid ?? 0, pidStarted: processStart(stray.pid ?? 0) };
  // `prlimit` becomes it once it has set the mark.
  await until(() => readFileSync(`/proc/${one.pid}/comm`, 'utf8') === 'sleep\n', { what: 'it has its mark' });
  const dead = { pid: 4_000_000, pidStarted: 'long-ago' };
  mkdirSync(path.join(state.path, 'processes'));
  const record = JSON.stringify({ ...dead, marker, supervisor: dead });
  writeFileSync(path.join(state.path, 'processes', 'one.json'), record);
  expect((await orphanSweep({ stateDir: state.path })).left).toEqual([]);
  expect(isAlive(one)).toBe(false);
});

onLinux('a group that has the number of a dead process by chance is left alone', async () => {
  await using state = await tempDir();
  const shell = spawn('sh', ['-c', 'sleep 300 & echo $!'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [said] = (await once(shell.stdout, 'data')) as [Buffer];
  const stranger = { pid: Number(String(said)), pidStarted: processStart(Number(String(said))) };
  await until(() => !isAlive({ pid: shell.pid ?? 0, pidStarted: null }), { what: 'the leader is dead' });
  try {
    const dead = { pid: shell.pid, pidStarted: 'another-start' };
    mkdirSync(path.join(state.path, 'processes'));
    const record = JSON.stringify({ ...dead, marker: 'nobody-has-it', supervisor: dead });
    writeFileSync(path.join(state.path, 'processes', 'one.json'), record);
    await orphanSweep({ stateDir: state.path });
    expect(isAlive(stranger)).toBe(true);
  } finally {
    process.kill(stranger.pid, 'SIGKILL');
  }
});

onLinux('a mark changes nothing of how a program starts and ends', async () => {
  const exec = createExec({ clock });
  const marked = { ...env, BATON_RUN_MARKER: `plain-${process.pid}` };
  const options = { cwd: '/', env: marked, timeoutMs: 20_000 };
  expect(await exec(['sh', '-c', 'kill -SEGV $$'], options)).toMatchObject({
    signal: 'SIGSEGV',
    exitCode: null,
  });
  expect(await exec(['sh', '-c', 'exit 7'], options)).toMatchObject({ signal: null, exitCode: 7 });
  expect(await exec(['no-such-program'], options)).toMatchObject({ spawnError: 'ENOENT' });
  expect(await exec(['/etc/passwd'], options)).toMatchObject({ spawnError: 'EACCES' });
  const said = await exec(['sh', '-c', 'echo "$0" "$#" "$$"; cat', 'a b', '--', ''], {
    ...options,
    stdin: 'in',
  });
  expect(said.stdout).toMatch(/^a b 2 \d+\nin$/);
});
