import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Runs steps in order. A step may end the turn by returning `{ stop, meta }` or `{ error }`, which is passed on;
 * undefined means that all steps were done.
 */
export async function runSteps(steps, context) {
  for (const step of steps) {
    context.signal.throwIfAborted();
    const [[verb, value]] = Object.entries(step);
    const end = await verbs[verb](value, context);
    if (end) return end;
  }
  return undefined;
}

const identity = ['-c', 'user.name=Fake Agent', '-c', 'user.email=fake-agent@example.invalid'];

/** Everything a script can ask for. The README lists what each takes. */
export const verbs = {
  // files
  write: (files, { cwd }) => forEachFile(files, cwd, writeFileSync),
  append: (files, { cwd }) => forEachFile(files, cwd, appendFileSync),
  replace: ({ file, find, with: text }, { cwd }) => {
    const target = path.resolve(cwd, file);
    const before = readFileSync(target, 'utf8');
    if (!before.includes(find)) throw new Error(`${file} does not hold ${JSON.stringify(find)}`);
    writeFileSync(target, before.replaceAll(find, text));
  },
  delete: (files, { cwd }) => {
    for (const file of [files].flat()) rmSync(path.resolve(cwd, file), { recursive: true });
  },

  // git and other programs
  commit: (message, context) => {
    verbs.git(['add', '--all'], context);
    verbs.git(['commit', '--quiet', '--message', message], context);
  },
  git: (args, { cwd }) => void execFileSync('git', [...identity, ...args], { cwd, stdio: ['ignore', 2, 2] }),
  plantFsmonitor: (markerFile, context) => {
    const program = path.resolve(context.cwd, '.planted-fsmonitor');
    writeFileSync(program, `#!/bin/sh\ntouch '${markerFile}'\n`);
    chmodSync(program, 0o755);
    verbs.git(['config', 'core.fsmonitor', program], context);
  },
  run: ([file, ...args], { cwd }) => void execFileSync(file, args, { cwd, stdio: ['ignore', 2, 2] }),
  grandchild: ({ pidFile, ignoreSigterm, keepsPipes, sameSession } = {}, { cwd }) => {
    const code = `${ignoreSigterm ? "process.on('SIGTERM', () => {});" : ''} setInterval(() => {}, 1000)`;
    const child = spawn(process.execPath, ['-e', code], {
      ...{ cwd, detached: !sameSession, stdio: keepsPipes ? 'inherit' : 'ignore' },
    });
    child.unref();
    if (pidFile) writeFileSync(path.resolve(cwd, pidFile), String(child.pid));
  },

  // output
  say: (text, { say }) => say(text),
  complain: (text) => print(process.stderr, text),
  raw: (text) => print(process.stdout, text),
  flood: async ({ bytes, stream = 'stdout' }, { say, signal }) => {
    const chunk = `${'x'.repeat(127)}\n`.repeat(512);
    for (let left = bytes; left > 0; left -= chunk.length) {
      signal.throwIfAborted();
      const piece = left < chunk.length ? chunk.slice(0, left) : chunk;
      await (stream === 'stderr' ? print(process.stderr, piece) : say(piece));
    }
  },
  splitUtf8: async (text, { frame }) => {
    for (const byte of Buffer.from(frame(text))) {
      await print(process.stdout, Buffer.of(byte));
      await delay(1); // else the reader's pipe joins them again
    }
  },

  // time and endings
  sleepMs: (ms, { signal }) => delay(ms, undefined, { signal }),
  hang: (_, { signal }) => untilAborted(signal),
  spin: async (_, { signal }) => {
    for (;;) {
      signal.throwIfAborted();
      for (let n = 0; n < 1e7; n++);
      await delay(0);
    }
  },
  waitFor: async (file, { cwd, signal }) => {
    while (!existsSync(path.resolve(cwd, file))) await delay(10, undefined, { signal });
  },
  ignoreSignals: (names) => {
    for (const name of names) process.on(name, () => {});
  },
  crash: (name) => {
    process.removeAllListeners(name);
    process.kill(process.pid, name);
    return delay(10_000); // the signal comes first
  },
  exit: (code) => process.exit(code),
  stop: (reason) =>
    typeof reason === 'string' ? { stop: reason } : { stop: reason.reason, meta: reason.meta },
  fail: (error) => ({ error: { code: -32603, message: 'scripted failure', ...error } }),

  // what it got
  record: async (file, { cwd, task, readPrompt, options }) => {
    const got = {
      pid: process.pid,
      argv: process.argv,
      cwd,
      env: process.env,
      task,
      prompt: await readPrompt(),
      ...(options === undefined ? {} : { options: options() }),
    };
    appendFileSync(path.resolve(cwd, file), `${JSON.stringify(got)}\n`);
  },

  // only where the protocol has it; a plain command has nobody to tell
  think: (text, { update }) =>
    update?.({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } }),
  update: (value, { update }) => update?.(value),
  toolCall: (call, { toolCall }) => toolCall?.(call),
  usage: (counts, { usage }) => usage?.(counts),
  askPermission: async ({ ifAllowed = [], ifRejected = [], ...call }, context) => {
    const allowed = (await context.askPermission?.(call)) ?? true;
    return runSteps(allowed ? ifAllowed : ifRejected, context);
  },
  ignoreCancel: (_, context) => context.ignoreCancel?.(),
};

function forEachFile(files, cwd, act) {
  for (const [name, content] of Object.entries(files)) {
    const file = path.resolve(cwd, name); // "../x" and "/x" lead outside, on purpose
    mkdirSync(path.dirname(file), { recursive: true });
    act(file, content);
  }
}

function print(stream, text) {
  return new Promise((resolve) => stream.write(text, () => resolve()));
}

function untilAborted(signal) {
  const keepAlive = setInterval(() => {}, 60_000);
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      clearInterval(keepAlive);
      reject(signal.reason);
    });
  });
}
