// Starts programs for a process of tests: a fork costs as much as its parent has memory, and this process has little.
import { spawn } from 'node:child_process';
import { performance } from 'node:perf_hooks';

const killers = new Map();

process.on('message', (order) => {
  if (order.kill === undefined) start(order);
  else killers.get(order.kill)?.({ aborted: true });
});

function start({ id, argv: [file, ...args], cwd, env, stdin, timeoutMs }) {
  const started = performance.now();
  const result = {
    exitCode: null,
    signal: null,
    truncated: false,
    stdout: '',
    stderr: '',
    timedOut: false,
    aborted: false,
  };
  const child = spawn(file, args, { cwd, env, detached: true, stdio: 'pipe' });
  const end = (rest) => {
    clearTimeout(timer);
    killers.delete(id);
    const ended = { ...result, ...rest, durationMs: performance.now() - started };
    if (process.connected) process.send({ id, ended }, () => undefined);
  };
  const kill = (why) => {
    Object.assign(result, why);
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  };
  killers.set(id, kill);
  const timer = setTimeout(() => kill({ timedOut: true }), timeoutMs);
  child.stdout.setEncoding('utf8').on('data', (text) => (result.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (result.stderr += text));
  child.on('error', (error) => end({ spawnError: error.code ?? error.message }));
  child.on('close', (exitCode, signal) => end({ exitCode, signal }));
  child.stdin.on('error', () => undefined).end(stdin);
}
