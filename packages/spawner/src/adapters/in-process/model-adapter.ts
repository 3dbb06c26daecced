import { createTaskRegistry, type AbortReason, type TaskRegistry } from '@baton/fsm-core';
import type { LanguageModel } from 'ai';
import type { AgentAdapter, AgentContext, AgentRunner, Finished, TaskRequest } from '../../agent/adapter.ts';
import type { TaskHandlers } from '../../agent/handlers.ts';
import { redactStrings } from '../../agent/event-queue.ts';
import { classifyEnding } from '../../supervise/exit-classes.ts';
import { createExec } from '../../process/exec.ts';
import { abortReasonOf } from '../../supervise/supervise-task.ts';
import { placed } from './attend.ts';
import { beginOrResume } from '../../in-process/loop/begin.ts';
import { checkTool } from '../../in-process/tools/check-tool.ts';
import { fileTools } from '../../in-process/tools/file-tools.ts';
import { instructionsFor } from '../../in-process/loop/instructions.ts';
import type { CognitiveEnd } from '../../in-process/loop/mind.ts';
import { runCognitiveTask } from '../../in-process/loop/run-cognitive-task.ts';
import type { CognitiveTool } from '../../in-process/tools/tool.ts';

/** What {@link modelAdapter} takes. */
export interface ModelAdapterOptions {
  /** Any model of the AI SDK. */
  model: LanguageModel;
  /** Programs that it may run, by name. */
  checks?: Readonly<Record<string, readonly string[]>>;
  /** Further tools. They run in your process: contain them. */
  tools?: readonly CognitiveTool[];
  /** System prompt in place of the usual one. */
  instructions?: string;
  /** Tasks at once from which on the log gets a warning; 8 by default. */
  maxActive?: number;
  maxSteps?: number;
  contextTokens?: number;
  reflect?: boolean;
}

const checkTimeoutMs = 600_000;

/**
 * The same loop as the `in-process` agent in *your* process, for a model that only exists there (a test double, a provider
 * with a client of its own). A hot loop or a crash in a tool of yours is then yours, too; `baton` itself never does this.
 */
export function modelAdapter(options: ModelAdapterOptions): AgentAdapter {
  let registry: TaskRegistry | undefined;
  return {
    name: 'in-process',
    capabilities: {
      manyPrompts: true,
      permissionRequests: true,
      cancel: true,
      usage: 'event',
      abortTool: true,
    },
    open(context) {
      registry ??= createTaskRegistry({
        maxActive: options.maxActive ?? 8,
        warn: (text) => context.log.write(`[warning] ${text}\n`),
      });
      return openRunner(options, { context, registry });
    },
  };
}

function openRunner(
  options: ModelAdapterOptions,
  { context, registry }: { context: AgentContext; registry: TaskRegistry },
): AgentRunner {
  const calls = new Map<string, AbortController>();
  const closed = new AbortController();
  const startedMs = context.clock.monotonicMs();
  let abortReason: AbortReason | null = null;
  return {
    adapter: 'in-process',
    async runTask(request, handlers = {}) {
      const finished = await work(options, {
        ...{ context, registry, calls, request, handlers, startedMs, closed: closed.signal },
      });
      abortReason = finished.abortReason;
      return finished;
    },
    abortTool(toolId) {
      const call = calls.get(toolId);
      call?.abort();
      return call !== undefined;
    },
    close() {
      closed.abort('shutdown_signal');
      return Promise.resolve({ exitCode: null, abortReason });
    },
  };
}

interface Work {
  context: AgentContext;
  registry: TaskRegistry;
  calls: Map<string, AbortController>;
  request: TaskRequest;
  handlers: TaskHandlers;
  startedMs: number;
  closed: AbortSignal;
}

async function work(options: ModelAdapterOptions, { context, registry, ...rest }: Work): Promise<Finished> {
  const { calls, request, handlers } = rest;
  const { clock, env, cwd } = context;
  const queue = context.openQueue(handlers);
  const bounds = boundsOf(context, { ...rest, broken: queue.broken });
  const checks = options.checks ?? {};
  queue.push({ type: 'ready', sessionRef: request.taskFile.id });
  const told = { usages: 0 };
  const end = await runCognitiveTask(
    beginOrResume({ taskId: request.taskFile.id, prompt: request.prompt, at: clock.now().getTime() }, []),
    {
      ...{ clock, registry, calls, model: options.model, signal: bounds.signal, redact: context.redact },
      instructions: options.instructions ?? instructionsFor({ root: cwd, checks: Object.keys(checks) }),
      tools: [
        ...fileTools(cwd),
        ...checkTool({ root: cwd, checks, env, exec: createExec({ clock }), timeoutMs: checkTimeoutMs }),
        ...(options.tools ?? []),
      ],
      keep: (checkpoint) => handlers.onCheckpoint?.(redactStrings(checkpoint, context.redact)),
      onEvent: (event) => queue.push(placed(event, told)),
      permission: context.permission,
      ...(options.maxSteps === undefined ? {} : { maxSteps: options.maxSteps }),
      ...(options.contextTokens === undefined ? {} : { contextTokens: options.contextTokens }),
      ...(options.reflect === undefined ? {} : { reflect: options.reflect }),
    },
  ).finally(() => bounds.stop());
  registry.remove(end.task.taskId);
  const finished = finishedOf(end, bounds.signal);
  queue.push(finished);
  await queue.drain();
  return { ...finished, summary: context.redact(finished.summary) };
}

/** One signal for all that ends a task; its reason is an abort reason. */
function boundsOf(
  { clock, limits }: AgentContext,
  { request, startedMs, closed, broken }: Omit<Work, 'context' | 'registry'> & { broken: AbortSignal },
): { signal: AbortSignal; stop(): void } {
  const bounds = new AbortController();
  const leftMs = startedMs + limits.lifetimeMs - clock.monotonicMs();
  const timer = setTimeout(() => bounds.abort('timeout'), Math.max(0, Math.min(leftMs, request.timeoutMs)));
  const onAbort = () =>
    bounds.abort(request.signal === undefined ? 'unknown' : abortReasonOf(request.signal));
  const onClose = () => bounds.abort('shutdown_signal');
  request.signal?.addEventListener('abort', onAbort, { once: true });
  for (const signal of [closed, broken]) signal.addEventListener('abort', onClose, { once: true });
  if (request.signal?.aborted) onAbort();
  if (closed.aborted) onClose();
  return {
    signal: bounds.signal,
    stop() {
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', onAbort);
      for (const signal of [closed, broken]) signal.removeEventListener('abort', onClose);
    },
  };
}

function finishedOf(end: CognitiveEnd, bounds: AbortSignal): Finished {
  const { outcome, summary, abortReason, transitionReason, resetAt } = end;
  const base = { type: 'finished', exitCode: null } as const;
  if (outcome === 'suspended')
    return { ...base, ...classifyEnding(bounds.reason as AbortReason), summary: 'It was stopped.', resetAt };
  const why = transitionReason === undefined ? {} : { transitionReason };
  return { ...base, outcome, summary, abortReason, resetAt, ...why };
}
