import { until, listProcessesWithMarker } from '@baton/testkit';
import { expect, test } from 'vitest';
import { isAlive, processStart } from '../src/index.ts';
import { env, exec, node } from './support/real.ts';

const cwd = process.cwd();
let runs = 0;
const freshMarker = () => `exec-${process.pid}-${(runs += 1)}`;

test('a program gets its arguments as they are, its input, and exactly the given environment', async () => {
  const program =
    'let s="";process.stdin.on("data",d=>s+=d).on("end",()=>console.log(JSON.stringify([process.argv.slice(1),s,process.env.HOME??null,process.env.GIVEN])))';
  const result = await exec(node(program, '$(id) "a b"'), {
    cwd,
    env: { ...env, GIVEN: 'yes' },
    stdin: 'words',
    timeoutMs: 20_000,
  });
  expect(JSON.parse(result.stdout)).toEqual([['$(id) "a b"'], 'words', null, 'yes']);
  expect(result).toMatchObject({
    exitCode: 0,
    signal: null,
    timedOut: false,
    aborted: false,
    truncated: false,
  });
  expect(result.durationMs).toBeGreaterThan(0);
});

test('a program that ends with a code, by a signal, or cannot be started is an outcome', async () => {
  expect(await exec(node('process.exit(3)'), { cwd, env, timeoutMs: 20_000 })).toMatchObject({
    exitCode: 3,
    signal: null,
  });
  expect(
    await exec(node('process.kill(process.pid,"SIGKILL")'), { cwd, env, timeoutMs: 20_000 }),
  ).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
  expect(await exec(['no-such-program'], { cwd, env, timeoutMs: 1_000 })).toMatchObject({
    exitCode: null,
    spawnError: 'ENOENT',
  });
  expect(await exec(['/etc/passwd'], { cwd, env, timeoutMs: 1_000 })).toMatchObject({ spawnError: 'EACCES' });
  expect(await exec(['true'], { cwd: '/no/such/folder', env, timeoutMs: 1_000 })).toMatchObject({
    spawnError: 'CWD_MISSING',
  });
});

test('one gigabyte of output stays within bounds, with its head and tail', { tags: ['long'] }, async () => {
  const program =
    'const b=Buffer.alloc(1<<20,120);console.log("first");let n=0;const w=()=>{while(n++<1024)if(!process.stdout.write(b))return process.stdout.once("drain",w);process.stdout.write("\\nlast\\n")};w()';
  const before = process.memoryUsage().rss;
  const result = await exec(node(program), { cwd, env, timeoutMs: 60_000, maxOutputBytes: 100_000 });
  expect(result.exitCode).toBe(0);
  expect(result.truncated).toBe(true);
  expect(result.stdout.startsWith('first\n')).toBe(true);
  expect(result.stdout.endsWith('\nlast\n')).toBe(true);
  expect(result.stdout.length).toBeLessThan(101_000);
  expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
});

test('characters split between chunks are whole', async () => {
  const program =
    'const b=Buffer.from("grüße 🌍\\n");let i=0;const w=()=>{if(i<b.length){process.stdout.write(b.subarray(i,++i));setImmediate(w)}};w()';
  expect((await exec(node(program), { cwd, env, timeoutMs: 20_000 })).stdout).toBe('grüße 🌍\n');
});

test('a time-out ends a program that ignores SIGTERM, and its grandchild in a session of its own', async () => {
  const marker = freshMarker();
  const program =
    'process.on("SIGTERM",()=>{});require("child_process").spawn(process.execPath,["-e","process.on(\'SIGTERM\',()=>{});setInterval(()=>{},1000)"],{detached:true,stdio:"ignore"});console.log("up");setInterval(()=>{},1000)';
  const result = await exec(node(program), {
    cwd,
    env: { ...env, BATON_RUN_MARKER: marker },
    timeoutMs: 1_500,
  });
  expect(result).toMatchObject({ timedOut: true, aborted: false, stdout: 'up\n' });
  expect(listProcessesWithMarker(`BATON_RUN_MARKER=${marker}`)).toEqual([]);
});

test('an abort ends the program; one before the start never starts it', async () => {
  const stop = new AbortController();
  const marker = freshMarker();
  const running = exec(node('setInterval(()=>{},1000)'), {
    cwd,
    env: { ...env, BATON_RUN_MARKER: marker },
    timeoutMs: 60_000,
    signal: stop.signal,
  });
  await until(() => listProcessesWithMarker(marker).length === 1, { what: 'the program runs' });
  stop.abort();
  expect(await running).toMatchObject({ aborted: true, timedOut: false });
  expect(await exec(node('1'), { cwd, env, timeoutMs: 1_000, signal: stop.signal })).toMatchObject({
    aborted: true,
    exitCode: null,
  });
});

test('what a program leaves behind in its group ends with it, though it holds the output open', async () => {
  const marker = freshMarker();
  const program =
    'require("child_process").spawn("sleep",["60"],{stdio:"inherit"});setTimeout(()=>process.exit(0),100)';
  const result = await exec(node(program), {
    cwd,
    env: { ...env, BATON_RUN_MARKER: marker },
    timeoutMs: 60_000,
  });
  expect(result.exitCode).toBe(0);
  expect(listProcessesWithMarker(marker)).toEqual([]);
});

test('a process is known by pid and start time: a reused pid or a zombie is not alive', async () => {
  const own = processStart(process.pid);
  expect(own).not.toBeNull();
  expect(isAlive({ pid: process.pid, pidStarted: own })).toBe(true);
  expect(isAlive({ pid: process.pid, pidStarted: `${own}0` })).toBe(false);
  const marker = freshMarker();
  // The child ends while its parent, busy, does not reap it.
  const program =
    'const c=require("child_process").spawn("true");console.log(c.pid);const t=Date.now();while(Date.now()-t<1500);';
  const running = exec(node(program), { cwd, env: { ...env, BATON_RUN_MARKER: marker }, timeoutMs: 20_000 });
  const result = await running;
  expect(isAlive({ pid: Number(result.stdout), pidStarted: null })).toBe(false);
});
