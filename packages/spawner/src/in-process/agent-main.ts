import { createTaskRegistry } from '@baton/fsm-core';
import { beginOrResume } from './loop/begin.ts';
import { ownClock } from './clock.ts';
import { checkTool } from './tools/check-tool.ts';
import { fileTools } from './tools/file-tools.ts';
import { messageReader, toAgent, type FromAgent, type StartMessage } from './protocol.ts';
import { openModel } from '../agent/providers.ts';
import { runCognitiveTask } from './loop/run-cognitive-task.ts';
import { createExec } from '../process/exec.ts';
import { redactor, secretValues } from '../agent/redact.ts';

/*
 * The process of an in-process agent: a loop around a model, apart from the worker, so that neither a crash nor a hot loop
 * of it takes the worker down, and so that it can be killed. It takes one task after the other on stdin.
 */

const clock = ownClock;
const registry = createTaskRegistry({
  maxActive: 1,
  warn: (text) => void process.stderr.write(`${text}\n`),
});
const waiting = new Map<number, (answer: 'allow' | 'deny') => void>();
const calls = new Map<string, AbortController>();
let stop = new AbortController();
let lastNumber = 0;
let ending = false;

const say = (message: FromAgent) => void process.stdout.write(`${JSON.stringify(message)}\n`);

/** Says something that has an answer, and waits for it. */
function ask(message: (number: number) => FromAgent): Promise<'allow' | 'deny'> {
  const number = (lastNumber += 1);
  return new Promise((resolve) => {
    waiting.set(number, resolve);
    say(message(number));
  });
}

async function work(start: StartMessage): Promise<void> {
  stop = new AbortController();
  const redact = redactor([
    ...(start.apiKey === null ? [] : [start.apiKey]),
    ...secretValues(start.checkEnv),
  ]);
  const tools = [
    ...fileTools(start.root),
    ...checkTool({
      ...{ root: start.root, checks: start.checks, env: start.checkEnv },
      exec: createExec({ clock }),
      timeoutMs: start.checkTimeoutMs,
    }),
  ];
  const at = clock.now().getTime();
  say({ type: 'event', event: { type: 'ready', sessionRef: start.taskId } });
  const end = await runCognitiveTask(beginOrResume({ ...start, at }, start.log), {
    ...{ tools, clock, registry, calls, redact, instructions: start.instructions },
    model: await openModel(start.model, start.apiKey),
    signal: stop.signal,
    retries: start.retries,
    reflect: start.reflect,
    ...(start.effort === null ? {} : { effort: start.effort }),
    ...(start.maxSteps === null ? {} : { maxSteps: start.maxSteps }),
    ...(start.contextTokens === null ? {} : { contextTokens: start.contextTokens }),
    onEvent: (event) => say({ type: 'event', event }),
    keep: async (checkpoint) => void (await ask((number) => ({ type: 'checkpoint', number, checkpoint }))),
    permission: ({ title, kind, paths }) =>
      ask((number) => ({ type: 'permission', number, request: { title, kind, paths: [...paths] } })),
  });
  registry.cleanupTerminal();
  const { outcome, summary, abortReason, transitionReason, resetAt } = end;
  const why = transitionReason === undefined ? {} : { transitionReason };
  say({ type: 'end', outcome, summary: redact(summary), abortReason, resetAt, ...why });
}

const read = messageReader(toAgent, (message) => {
  switch (message?.type) {
    case 'start':
      void work(message).then(
        () => ending && process.exit(143),
        (error: unknown) => {
          process.stderr.write(
            `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
          );
          process.exit(1);
        },
      );
      break;
    case 'kept':
    case 'permission':
      waiting.get(message.number)?.(message.type === 'permission' ? message.answer : 'allow');
      waiting.delete(message.number);
      break;
    case 'abort_tool':
      calls.get(message.toolId)?.abort();
      break;
    case 'suspend':
      stop.abort(message.reason);
      break;
    case undefined:
      process.stderr.write('a message could not be read\n');
  }
});

// Its context is kept before it goes, so that it can be resumed.
process.once('SIGTERM', () => {
  ending = true;
  if (registry.activeCount() === 0) process.exit(143);
  stop.abort('shutdown_signal');
});
process.stdin.setEncoding('utf8');
process.stdin.on('data', read);
// The supervisor has gone: nothing would keep our results.
process.stdin.on('close', () => process.exit(0));
