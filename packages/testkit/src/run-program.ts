import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Exec, ExecResult } from '@baton/contracts';

interface Starter {
  child: ChildProcess;
  waiting: Map<number, { resolve: (ended: ExecResult) => void; reject: (cause: Error) => void }>;
}

let starter: Starter | undefined;
let orders = 0;

/**
 * Runs a real program in a process group of its own, which is killed on time-out and abort; the spawner's version is the real thing.
 * A small process starts it: a fork in a process of tests, with the memory that one has, costs more than most programs.
 */
export const runProgram: Exec = (argv, { cwd, env, stdin = '', timeoutMs, signal }) => {
  const { child, waiting } = (starter ??= openStarter());
  const id = (orders += 1);
  const kill = () => child.send({ kill: id });
  return new Promise<ExecResult>((resolve, reject) => {
    const settled = () => signal?.removeEventListener('abort', kill);
    waiting.set(id, {
      resolve: (ended) => (settled(), resolve(ended)),
      reject: (cause) => (settled(), reject(cause)),
    });
    hold(child, true);
    child.send({ id, argv, cwd, env, stdin, timeoutMs });
    signal?.addEventListener('abort', kill);
    if (signal?.aborted === true) kill();
  });
};

function openStarter(): Starter {
  const program = fileURLToPath(new URL('../program-starter.mjs', import.meta.url));
  const child = fork(program, [], { execArgv: [], env: {}, serialization: 'advanced' });
  const waiting: Starter['waiting'] = new Map();
  child.on('message', (message) => {
    const { id, ended } = message as { id: number; ended: ExecResult };
    waiting.get(id)?.resolve(ended);
    waiting.delete(id);
    if (waiting.size === 0) hold(child, false);
  });
  child.on('exit', (code, signal) => {
    starter = undefined;
    const cause = new Error(`What starts programs for tests ended with ${code ?? signal}.`);
    for (const { reject } of waiting.values()) reject(cause);
    waiting.clear();
  });
  return { child, waiting };
}

/** It keeps this process up only while a program runs; its own end follows that of this process. */
function hold(child: ChildProcess, isAsked: boolean): void {
  for (const one of [child, child.channel]) {
    if (isAsked) one?.ref();
    else one?.unref();
  }
}
