import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { listProcessesWithMarker, tempDir, until } from '@baton/testkit';
import { beforeAll, expect, test } from 'vitest';
import { offerStreams, takeStreams } from '../src/process/child-streams.ts';
import { openGuarded } from '../src/process/exec.ts';
import type { OpenChild } from '../src/process/open-child.ts';
import { isAlive, processStart } from '../src/process/process-table.ts';
import { openFake, run, task } from './support/agents.ts';
import { env, exec, node } from './support/real.ts';

const at = { cwd: '/', env };
const starter = fileURLToPath(new URL('./fixtures/start-agent.ts', import.meta.url));

async function starterOf(): Promise<number> {
  return Number(
    (await exec(node('process.stdout.write(String(process.ppid))'), { ...at, timeoutMs: 20_000 })).stdout,
  );
}
const aHelper = () =>
  until(async () => ((await starterOf()) === process.pid ? undefined : await starterOf()), {
    what: 'a helper starts the programs',
    timeoutMs: 20_000,
  });
let helper = 0;
beforeAll(async () => {
  helper = await aHelper();
});

async function open(
  argv: [string, ...string[]],
  change: { cwd?: string; env?: Record<string, string> } = {},
): Promise<OpenChild> {
  const child = await openGuarded(argv, { ...at, ...change });
  if ('error' in child) throw new Error(child.error);
  return child;
}

async function textOf(stream: Readable): Promise<string> {
  let text = '';
  stream.setEncoding('utf8');
  for await (const chunk of stream) text += chunk as string;
  return text;
}

test('an agent of a process that has a helper is started by it, in a group of its own, and speaks with the process directly', async () => {
  const program = `
    process.stderr.write('not to be mixed up');
    process.stdin.setEncoding('utf8').on('data', (text) => process.stdout.write(text.toUpperCase()));
    process.stdin.on('end', () => {
      const { pid, ppid, env, argv } = process;
      process.stdout.write(JSON.stringify({ pid, ppid, env, argv: argv.slice(1) }), () => process.exit(3));
    });`;
  const child = await open(node(program, '$(id) "a b"'), { env: { ...env, GIVEN: 'yes' } });
  const [out, err] = [textOf(child.stdout), textOf(child.stderr)];
  child.stdin.write('hello ');
  child.stdin.end('there ');
  const [, said = ''] = /^HELLO THERE (.*)$/.exec(await out) ?? [];
  expect(JSON.parse(said)).toEqual({
    pid: child.pid,
    ppid: helper,
    env: expect.objectContaining({ ...env, GIVEN: 'yes' }) as unknown,
    argv: ['$(id) "a b"'],
  });
  expect(await err).toBe('not to be mixed up');
  expect(await child.exited).toEqual({ code: 3, signal: null });
  await child.drained;
  const grouped = await open(['sh', '-c', 'ps -o pgid=,sid= -p $$ || cut -d" " -f5,6 /proc/$$/stat']);
  expect((await textOf(grouped.stdout)).trim().split(/\s+/).map(Number)).toEqual([grouped.pid, grouped.pid]);
});

test('every byte of both streams comes, in order, also of a program that ends at once', async () => {
  const size = 3_000_000;
  const program = `
    const { createHash } = require('node:crypto');
    const bytes = (seed) => Buffer.concat(Array.from({ length: ${size} / 50_000 }, (_, at) =>
      Buffer.alloc(50_000, createHash('sha256').update(seed + at).digest())));
    process.stdout.write(bytes('out')); process.stderr.write(bytes('err'));`;
  const child = await open(node(program));
  const hashes = [child.stdout, child.stderr].map(async (stream) => {
    const hash = createHash('sha256');
    for await (const chunk of stream) hash.update(chunk as Buffer);
    return hash.digest('hex');
  });
  const wanted = ['out', 'err'].map((seed) => {
    const hash = createHash('sha256');
    for (let piece = 0; piece < size / 50_000; piece += 1)
      hash.update(Buffer.alloc(50_000, createHash('sha256').update(`${seed}${piece}`).digest()));
    return hash.digest('hex');
  });
  expect(await Promise.all(hashes)).toEqual(wanted);
  const quick = await Promise.all(
    Array.from({ length: 30 }, async (_, code) => {
      const one = await open(['sh', '-c', `echo out ${code}; echo err ${code} >&2; exit ${code}`]);
      return [await textOf(one.stdout), await textOf(one.stderr), (await one.exited).code];
    }),
  );
  expect(quick).toEqual(quick.map((_, code) => [`out ${code}\n`, `err ${code}\n`, code]));
});

test('a program whose output is not read is held up, and loses none of it', async () => {
  await using folder = await tempDir();
  const program = `
    const { writeSync } = require('node:fs');
    const piece = Buffer.alloc(10_000, 'x');
    for (let at = 0; at < 500; at += 1) { writeSync(1, piece); require('node:fs').writeFileSync('written', String(at + 1)); }`;
  const child = await open(node(program), { cwd: folder.path });
  const written = () => {
    const file = path.join(folder.path, 'written');
    return existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  };
  let [before, looks] = [0, 0];
  await until(
    () => {
      const now = written();
      looks = now === before ? looks + 1 : 0;
      before = now;
      return (now > 0 && looks > 50) || undefined;
    },
    { what: 'it writes no more', timeoutMs: 20_000 },
  );
  expect(before).toBeLessThan(150);
  expect(isAlive(child)).toBe(true);
  expect((await textOf(child.stdout)).length).toBe(5_000_000);
  expect((await child.exited).code).toBe(0);
});

test('a program that cannot be started says why, and one that a signal ends says which', async () => {
  expect(await openGuarded(['/nowhere/program'], at)).toEqual({ error: 'ENOENT' });
  expect(await openGuarded(['true'], { ...at, cwd: '/nowhere' })).toEqual({ error: 'CWD_MISSING' });
  await using folder = await tempDir();
  const file = path.join(folder.path, 'plain');
  writeFileSync(file, '#!/bin/sh\n', { mode: 0o600 });
  expect(await openGuarded([file], at)).toEqual({ error: 'EACCES' });
  expect(await openGuarded(['with\0nul'], at)).toEqual({ error: 'ERR_INVALID_ARG_VALUE' });
  const ended = await open(['sh', '-c', 'kill -TERM $$; sleep 60']);
  expect(await ended.exited).toEqual({ code: null, signal: 'SIGTERM' });
});

test('sessions with agents of both kinds work by a helper as they do without', async () => {
  for (const speaks of ['command', 'acp'] as const) {
    await using a = await openFake({ steps: [{ say: 'here' }] }, speaks);
    const first = await run(a.runner, task('one'));
    const second = await run(a.runner, task('two'));
    for (const { finished, types, spawned } of [first, second]) {
      expect(finished).toMatchObject({ outcome: 'done' });
      expect(types).toContain('message');
      expect(spawned).toHaveLength(1);
    }
    await a.runner.close();
    expect(listProcessesWithMarker(`BATON_RUN_MARKER=${a.marker}`)).toEqual([]);
  }
});

test('an agent that hangs is ended with all that it started, wherever its helper is', async () => {
  await using a = await openFake({ steps: [{ waitFor: 'never' }], ignoreSignals: ['SIGTERM'] }, 'acp');
  const { finished } = await run(a.runner, task('hang', { timeoutMs: 500 }));
  expect(finished).toMatchObject({ outcome: 'timeout', abortReason: 'timeout' });
  expect(listProcessesWithMarker(`BATON_RUN_MARKER=${a.marker}`)).toEqual([]);
});

test('an agent whose helper is killed ends as a killed one, and the next has a new helper', async () => {
  const child = await open(['sleep', '60']);
  process.kill(helper, 'SIGKILL');
  expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' });
  await child.drained;
  expect(isAlive(child)).toBe(false);
  helper = await aHelper();
  const next = await open(['sh', '-c', 'echo $PPID']);
  expect(Number(await textOf(next.stdout))).toBe(helper);
});

test('while its helper is stopped an agent works on, and its end is noticed', async () => {
  const child = await open(['cat']);
  process.kill(helper, 'SIGSTOP');
  child.stdin.write('to and fro\n');
  expect(String((await once(child.stdout, 'data'))[0])).toBe('to and fro\n');
  child.stdin.end();
  await child.drained;
  expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' });
  helper = await aHelper();
}, 40_000);

test('no start waits without end for a helper that is stopped', async () => {
  process.kill(helper, 'SIGSTOP');
  const late = { ...at, env: { ...env, BATON_RUN_MARKER: 'late' } };
  const started = await openGuarded(['echo', 'started all the same'], late);
  expect('error' in started ? started.error : await textOf(started.stdout)).toBe('started all the same\n');
  helper = await aHelper();
}, 40_000);

test('a process that is killed takes its agent with it', async () => {
  await using folder = await tempDir();
  const child = fork(starter, [folder.path], { execArgv: ['--conditions=@baton/source'], stdio: 'ignore' });
  const read = (name: string) => Number(readFileSync(path.join(folder.path, name), 'utf8'));
  const pids = await until(
    () => {
      try {
        const all = ['agent', 'helper'].map(read);
        return all.every((pid) => pid > 0) ? all : undefined;
      } catch {
        return undefined;
      }
    },
    { what: 'the agent runs', timeoutMs: 30_000 },
  );
  const started = pids.map((pid) => ({ pid, pidStarted: processStart(pid) }));
  expect(pids[1]).not.toBe(child.pid);
  child.kill('SIGKILL');
  await until(() => (started.some(isAlive) ? undefined : true), { what: 'all are gone', timeoutMs: 20_000 });
});

test('who connects to the streams of a child without their token gets none of them', async () => {
  const offered = offerStreams();
  const strangers = [Buffer.alloc(17), Buffer.from('short'), Buffer.alloc(17, 2)].map((said) => {
    const stranger = connect({ path: offered.at.name }).on('error', () => undefined);
    stranger.write(said);
    return stranger;
  });
  const closed = Promise.all(strangers.map((one) => once(one, 'close')));
  strangers.forEach((one) => one.resume());
  const ends = await takeStreams(offered.at);
  const taken = await offered.taken;
  ends.forEach((end, number) => end.end(`this is ${number}`));
  expect(await Promise.all((taken ?? []).map(textOf))).toEqual(['this is 0', 'this is 1', 'this is 2']);
  await closed;
  await expect(takeStreams(offered.at)).rejects.toThrow('ECONNREFUSED');
  const withdrawn = offerStreams();
  withdrawn.withdraw();
  expect(await withdrawn.taken).toBeNull();
});
