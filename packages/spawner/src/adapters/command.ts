import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { AgentAdapter, AgentContext, AgentRunner, Finished, TaskRequest } from '../agent/adapter.ts';
import type { TaskHandlers } from '../agent/handlers.ts';
import { boundedOutput } from '../process/bounded-output.ts';
import type { EventQueue } from '../agent/event-queue.ts';
import { classifyEnding, classifyExit } from '../supervise/exit-classes.ts';
import { short, shortEnd } from '../agent/short.ts';
import { lineSplitter } from '../process/lines.ts';
import { startFailure } from '../supervise/start-failure.ts';
import type { ChildExit } from '../process/open-child.ts';
import { sessionStarts, type SessionStarts } from '../supervise/session-starts.ts';
import { startAgentProcess, type AgentProcess } from '../supervise/agent-process.ts';
import { abortReasonOf, superviseTask } from '../supervise/supervise-task.ts';

const summaryBytes = 4_000;
const maxEventBytes = 256 * 1024;
const mostWaiting = 100;

/**
 * Any program as an agent: one process for each task, the prompt on its stdin, a task file, and its exit code (with
 * what changed in the tree) as the answer. Ready means started. Source: docs/spec/agents.md#adapters.
 */
export const commandAdapter: AgentAdapter = {
  name: 'command',
  capabilities: {
    manyPrompts: false,
    permissionRequests: false,
    cancel: false,
    usage: 'none',
    abortTool: false,
  },
  open(context) {
    const session: Session = {
      context,
      starts: sessionStarts(),
      startedMs: null,
      running: null,
      last: { exitCode: null, abortReason: null },
    };
    const runner: AgentRunner = {
      adapter: 'command',
      abortTool: () => false,
      runTask: (request, handlers = {}) => runTask(session, request, handlers),
      async close() {
        await session.starts.close();
        session.running?.blame('shutdown_signal');
        await session.running?.kill();
        return session.last;
      },
    };
    return runner;
  },
};

interface Session {
  context: AgentContext;
  starts: SessionStarts;
  startedMs: number | null;
  running: AgentProcess | null;
  last: Awaited<ReturnType<AgentRunner['close']>>;
}

async function runTask(session: Session, request: TaskRequest, handlers: TaskHandlers): Promise<Finished> {
  const { context } = session;
  session.startedMs ??= context.clock.monotonicMs();
  const queue = context.openQueue(handlers);
  const finished = await attempt(session, { request, handlers, queue });
  session.running = null;
  session.last = {
    exitCode: finished.exitCode,
    abortReason: finished.abortReason as Session['last']['abortReason'],
  };
  queue.push(finished);
  await queue.drain();
  return { ...finished, summary: context.redact(finished.summary) };
}

async function attempt(
  session: Session,
  { request, handlers, queue }: { request: TaskRequest; handlers: TaskHandlers; queue: EventQueue },
): Promise<Finished> {
  const { context } = session;
  const unbegun = { summary: 'Ended before it began.', exitCode: null };
  if (request.signal?.aborted) return ended(classifyEnding(abortReasonOf(request.signal)), unbegun);
  const agent = await session.starts.begin(() =>
    startAgentProcess(context, { env: { BATON_TASK_FILE: writeTaskFile(context, request) } }),
  );
  if (agent === null) return ended(classifyEnding('shutdown_signal'), unbegun);
  if ('error' in agent) {
    const { exitCode, summary, ...outcome } = startFailure(agent.error, context);
    return ended(outcome, { summary, exitCode });
  }
  session.running = agent;
  const supervision = superviseTask({
    context,
    agent,
    request,
    queue,
    startedMs: session.startedMs ?? 0,
    end: () => agent.kill(),
  });
  const stdout = boundedOutput(summaryBytes, { wholeWords: true });
  const stderr = boundedOutput(summaryBytes, { wholeWords: true });
  const stop = forwardOutput(agent, { context, queue, sign: supervision.sign, keep: { stdout, stderr } });
  try {
    await handlers.onSpawn?.({ pid: agent.pid, pidStarted: agent.pidStarted });
  } catch (error) {
    agent.blame('shutdown_signal');
    await agent.kill();
    supervision.stop();
    throw error;
  }
  queue.push({ type: 'ready', sessionRef: null });
  agent.stdin.end(request.prompt);
  const end = await agent.exited;
  supervision.stop();
  // Processes that it left would keep writing into the worktree of the next task.
  await agent.kill({ graceMs: 0 });
  stop();
  const outcome = agent.endedBy === null ? classifyExit(end) : classifyEnding(agent.endedBy);
  return ended(outcome, {
    summary: summarise(end, {
      outcome: outcome.outcome,
      stdout: stdout.text(),
      stderr: stderr.text(),
      why: supervision.why(),
    }),
    exitCode: end.code,
  });
}

function writeTaskFile(context: AgentContext, { taskFile }: TaskRequest): string {
  mkdirSync(context.taskFileDir, { recursive: true, mode: 0o700 });
  const file = path.join(context.taskFileDir, `${taskFile.id.replace(/[^A-Za-z0-9._-]/g, '_')}.json`);
  writeFileSync(file, `${JSON.stringify(taskFile, null, 2)}\n`, { mode: 0o600 });
  return file;
}

/** Hands output on as events and to the log. Beyond a bound only the log has it. */
function forwardOutput(
  agent: AgentProcess,
  options: {
    context: AgentContext;
    queue: EventQueue;
    sign: () => void;
    keep: Record<'stdout' | 'stderr', { push(chunk: Buffer): void }>;
  },
): () => void {
  const { context, queue, sign, keep } = options;
  let told = 0;
  const splitters = (['stdout', 'stderr'] as const).map((kind) => {
    const splitter = lineSplitter((text) => {
      context.log.write(text);
      if (told > maxEventBytes) return;
      told += text.length;
      queue.push({
        type: 'message',
        kind,
        text: told > maxEventBytes ? `${short(text, 8_192)}\n… more is in the log …\n` : text,
      });
    });
    const stream = agent[kind];
    stream.on('data', (chunk: Buffer) => {
      sign();
      keep[kind].push(chunk);
      splitter.push(chunk);
      if (queue.waiting < mostWaiting) return;
      stream.pause(); // the caller is slower than the agent
      void queue
        .drain()
        .catch(() => undefined)
        .then(() => stream.resume());
    });
    return splitter;
  });
  return () => splitters.forEach((splitter) => splitter.end());
}

function summarise(
  end: ChildExit,
  {
    outcome,
    stdout,
    stderr,
    why,
  }: { outcome: Finished['outcome']; stdout: string; stderr: string; why: string | null },
): string {
  if (why !== null) return why;
  if (outcome === 'done') return stdout.trim() || stderr.trim();
  const how = end.signal === null ? `ended with exit code ${end.code}` : `was ended by ${end.signal}`;
  return `The command ${how}. ${shortEnd(stderr.trim() || stdout.trim(), 2_000)}`.trim();
}

function ended(
  outcome: Pick<Finished, 'outcome' | 'abortReason'>,
  rest: Pick<Finished, 'summary' | 'exitCode'>,
): Finished {
  return { type: 'finished', ...outcome, ...rest, resetAt: null };
}
