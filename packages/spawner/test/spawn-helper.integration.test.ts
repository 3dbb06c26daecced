import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import module from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { tempDir, until } from '@baton/testkit';
import { expect, test } from 'vitest';
import { isAlive, processStart } from '../src/process/process-table.ts';
import { env, exec, node } from './support/real.ts';

const at = { cwd: '/', env, timeoutMs: 20_000 };
const starter = fileURLToPath(new URL('./fixtures/start-two.ts', import.meta.url));
const helperMain = fileURLToPath(new URL('../src/process/spawn-helper-main.ts', import.meta.url));

/** Who starts our programs: a helper, once there were some. */
async function starterOf(): Promise<number> {
  return Number((await exec(node('process.stdout.write(String(process.ppid))'), at)).stdout);
}
const aHelper = () =>
  until(async () => ((await starterOf()) === process.pid ? undefined : await starterOf()), {
    what: 'a helper starts the programs',
    timeoutMs: 20_000,
  });
let helper = 0;
test('after a few programs a process has the others started by a helper', async () => {
  helper = await aHelper();
  expect(helper).not.toBe(process.pid);
});

test.runIf(process.platform === 'linux')(
  'a helper reads what its process has compiled, and is given nothing else of the environment',
  async () => {
    const given = (await readFile(`/proc/${helper}/environ`, 'utf8')).split('\0');
    const folder = path.dirname(module.getCompileCacheDir() ?? '');
    expect(given.filter((each) => each !== '' && !each.startsWith('NODE_CHANNEL_'))).toEqual([
      `NODE_COMPILE_CACHE=${folder}`,
    ]);
  },
);

test('a helper gives what the process itself would: arguments, input, environment, output, code and signal', async () => {
  const program =
    'let s="";process.stdin.on("data",d=>s+=d).on("end",()=>{console.log(JSON.stringify([process.argv.slice(1),s.length,process.env]));process.exitCode=3})';
  const stdin = 'ä'.repeat(3_000_000);
  const given = { ...at, env: { ...env, GIVEN: 'yes' }, stdin };
  const { stdout, ...end } = await exec(node(program, '$(id) "a b"'), given);
  expect(JSON.parse(stdout)).toEqual([
    ['$(id) "a b"'],
    stdin.length,
    expect.objectContaining({ ...env, GIVEN: 'yes' }),
  ]);
  expect(end).toMatchObject({ exitCode: 3, signal: null, timedOut: false, aborted: false, truncated: false });
  expect(await exec(['/nowhere/program'], at)).toMatchObject({ exitCode: null, spawnError: 'ENOENT' });
  expect(await exec(['true'], { ...at, cwd: '/nowhere' })).toMatchObject({ spawnError: 'CWD_MISSING' });
  expect(await starterOf()).toBe(helper);
});

test('many programs run at once, each with its own end', async () => {
  const ends = await Promise.all(
    Array.from({ length: 40 }, (_, code) => exec(['sh', '-c', `echo ${code}; exit ${code}`], at)),
  );
  expect(ends.map(({ exitCode, stdout }) => [exitCode, stdout])).toEqual(
    ends.map((_, code) => [code, `${code}\n`]),
  );
});

test('programs of a helper that is killed end as killed ones, and the next one has a new helper', async () => {
  const folder = await tempDir();
  const file = path.join(folder.path, 'pid');
  const lost = exec(['sh', '-c', `echo $$ > ${file}; exec sleep 60`], { ...at, timeoutMs: 60_000 });
  const pid = await until(async () => Number(await readFile(file, 'utf8').catch(() => '')) || undefined, {
    what: 'the program runs',
    timeoutMs: 20_000,
  });
  const program = { pid, pidStarted: processStart(pid) };
  process.kill(await starterOf(), 'SIGKILL');
  expect(await lost).toMatchObject({ exitCode: null, signal: 'SIGKILL', timedOut: false, aborted: false });
  expect(isAlive(program)).toBe(false);
  helper = await aHelper();
  expect((await exec(['echo', 'there'], at)).stdout).toBe('there\n');
  await folder[Symbol.asyncDispose]();
});

test('what is aborted is ended by the helper, and not even started when it was aborted before', async () => {
  await using folder = await tempDir();
  await aHelper();
  const over = new AbortController();
  const held = exec(['sleep', '60'], { ...at, signal: over.signal });
  over.abort();
  expect(await held).toMatchObject({ aborted: true, timedOut: false });
  const late = exec(['touch', 'late'], { ...at, cwd: folder.path, signal: over.signal });
  expect(await late).toMatchObject({ exitCode: null, signal: null, aborted: true });
  expect(existsSync(path.join(folder.path, 'late'))).toBe(false);
});

test('a helper says that it is there while a program runs', async () => {
  const child = fork(helperMain, { execArgv: ['--conditions=@baton/source'], serialization: 'advanced' });
  const next = async () => ((await once(child, 'message')) as [unknown])[0];
  expect(await next()).toBe('ready');
  const order = { file: '/bin/sleep', args: ['60'], cwd: '/', env, stdin: '', maxOutputBytes: 1 };
  child.send({ id: 1, order: { ...order, timeoutMs: 60_000, marker: undefined } });
  expect(await next()).toMatchObject({ id: 1 });
  child.send('alive?');
  expect(await next()).toBe('alive');
  child.send({ id: 1, abort: true });
  expect(await next()).toMatchObject({ id: 1, end: { aborted: true } });
  child.disconnect();
  await once(child, 'exit');
});

test('a helper that is stopped holds no program beyond its time limit, nor one that is aborted', async () => {
  for (const limit of ['time', 'abort'] as const) {
    const pid = await aHelper();
    process.kill(pid, 'SIGSTOP');
    const over = new AbortController();
    const timeoutMs = limit === 'time' ? 100 : 60_000;
    const held = exec(['sleep', '60'], { ...at, timeoutMs, signal: over.signal });
    if (limit === 'abort') over.abort();
    const lost = { timedOut: limit === 'time', aborted: limit === 'abort' };
    expect(await held).toMatchObject({ exitCode: null, signal: 'SIGKILL', ...lost });
  }
});

test('a process that is killed takes its helper and its programs with it, but for what has to finish', async () => {
  await using folder = await tempDir();
  const child = fork(starter, [folder.path], { execArgv: ['--conditions=@baton/source'], stdio: 'ignore' });
  const read = (name: string) => readFileSync(path.join(folder.path, name), 'utf8').trim();
  const pids = await until(
    () => {
      try {
        const all = ['guarded', 'finishes', 'helper'].map((name) => Number(read(name)));
        return all.every((pid) => pid > 0) ? all : undefined;
      } catch {
        return undefined;
      }
    },
    { what: 'both programs run', timeoutMs: 30_000 },
  );
  const [guarded, finishes, itsHelper] = pids.map((pid) => ({ pid, pidStarted: processStart(pid) }));
  child.kill('SIGKILL');
  const gone = (one: typeof guarded) => () => (one === undefined || !isAlive(one) ? true : undefined);
  await until(gone(guarded), { what: 'the guarded program is ended', timeoutMs: 20_000 });
  expect(finishes !== undefined && isAlive(finishes)).toBe(true);
  await writeFile(path.join(folder.path, 'go'), '');
  await until(() => (read('finished') === 'yes' ? true : undefined), {
    what: 'the other one came to its end',
    timeoutMs: 20_000,
  });
  await until(gone(itsHelper), { what: 'the helper is gone', timeoutMs: 20_000 });
});

test('what reaches a helper after the process that asked for it was killed is not started', async () => {
  await using folder = await tempDir();
  const child = fork(starter, [folder.path, 'wait'], { execArgv: ['--conditions=@baton/source'] });
  const [pid] = (await once(child, 'message')) as [number];
  const itsHelper = { pid, pidStarted: processStart(pid) };
  process.kill(pid, 'SIGSTOP');
  child.send('start');
  await once(child, 'message');
  child.kill('SIGKILL');
  await once(child, 'exit');
  process.kill(pid, 'SIGCONT');
  await until(() => (isAlive(itsHelper) ? undefined : true), {
    what: 'the helper is gone',
    timeoutMs: 20_000,
  });
  expect(['guarded', 'finishes'].filter((name) => existsSync(path.join(folder.path, name)))).toEqual([]);
});
