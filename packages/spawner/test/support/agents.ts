import path from 'node:path';
import { fakeAgent, tempDir, type FakeScript } from '@baton/testkit';
import type { AgentDefinition, AgentEvent } from '@baton/contracts';
import {
  openAgent,
  redactor,
  type AgentRunner,
  type OpenAgentOptions,
  type TaskRequest,
} from '../../src/index.ts';
import { clock, env } from './real.ts';

let sessions = 0;

/** Opens a session of the fake agent in a folder of its own; closed, with the folder deleted, at the end. */
export async function openFake(
  script: FakeScript,
  speaks: 'command' | 'acp',
  options: Partial<OpenAgentOptions> = {},
) {
  const { argv } = fakeAgent(script, { speaks });
  return openIn(speaks === 'acp' ? { acp: argv } : { command: argv }, options);
}

/** Opens a session of any agent. */
export async function openIn(definition: AgentDefinition, options: Partial<OpenAgentOptions> = {}) {
  const stack = new AsyncDisposableStack();
  const folder = stack.use(await tempDir());
  const marker = `test-${process.pid}-${(sessions += 1)}`;
  const logFile = path.join(folder.path, 'session.log');
  const runner = openAgent({
    name: 'fake',
    definition,
    workspace: { path: folder.path, taskFileDir: path.join(folder.path, '.task'), portBase: 21_000 },
    env,
    marker,
    clock,
    limits: { graceMs: 200 },
    logFile,
    redact: redactor(options.env ?? {}),
    ...options,
  });
  stack.defer(async () => void (await runner.close()));
  return { runner, marker, folder: folder.path, logFile, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** A task with a prompt. */
export function task(prompt = 'do it', change: Partial<TaskRequest> = {}): TaskRequest {
  const taskFile = {
    id: 'id-1',
    key: 'task-1',
    title: 'Title',
    goal: 'Goal',
    files: [],
    attempt: 1,
    rejections: [],
  };
  return { prompt, taskFile, timeoutMs: 30_000, ...change };
}

/** Runs a task and gathers what was heard of it. */
export async function run(runner: AgentRunner, request: TaskRequest = task()) {
  const events: AgentEvent[] = [];
  const spawned: { pid: number; pidStarted: string | null }[] = [];
  const finished = await runner.runTask(request, {
    onSpawn: (one) => void spawned.push(one),
    onEvent: (event) => void events.push(event),
  });
  return { finished, events, spawned, types: events.map((event) => event.type) };
}
