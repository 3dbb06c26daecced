import path from 'node:path';
import { BatonError, type AgentDefinition } from '@baton/contracts';
import { sessionStarts, type SessionStarts } from '../../supervise/session-starts.ts';
import type { Checkpoint } from '@baton/fsm-core';
import type { AgentAdapter, AgentContext, AgentRunner, Finished, TaskRequest } from '../../agent/adapter.ts';
import type { TaskHandlers } from '../../agent/handlers.ts';
import { redactStrings } from '../../agent/event-queue.ts';
import { classifyEnding, classifySpawnError } from '../../supervise/exit-classes.ts';
import { markerVariable } from '../../process/process-table.ts';
import { abortReasonOf } from '../../supervise/supervise-task.ts';
import { startMindProcess, type MindProcess } from './agent-process.ts';
import { openCheckpointFile, type CheckpointFile } from './checkpoint-file.ts';
import { instructionsFor } from '../../in-process/loop/instructions.ts';
import type { StartMessage } from '../../in-process/protocol.ts';
import { modelPlace, providers, type ModelPlace } from '../../agent/providers.ts';
import { superviseProcess, type Supervised } from './attend.ts';

type Settings = Extract<AgentDefinition, { in_process: unknown }>;

/** How often a task whose process died continues in a new one, from its last checkpoint. */
const mostRestarts = 2;
const checkTimeoutMs = 600_000;
const retries = 2;

/**
 * Baton's own loop around a model, as an agent: one process for a batch, apart from ours. When that process dies, or is
 * killed from outside, the task continues in a new one from its last checkpoint. Source: docs/spec/agents.md#adapters.
 */
export function inProcessAdapter(settings: Settings): AgentAdapter {
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
      const state: State = {
        context,
        starts: sessionStarts(),
        place: placeOf(settings, context),
        settings,
        startedMs: null,
        mind: null,
        last: { exitCode: null, abortReason: null },
      };
      const runner: AgentRunner = {
        adapter: 'in-process',
        runTask: (request, handlers = {}) => runTask(state, request, handlers),
        abortTool(toolId) {
          state.mind?.say({ type: 'abort_tool', toolId });
          return state.mind !== null;
        },
        async close() {
          await state.starts.close();
          const { mind } = state;
          if (mind === null) return state.last;
          mind.agent.stdin.end();
          const ended = await Promise.race([mind.agent.exited, later(1_000)]);
          await mind.agent.kill();
          state.mind = null;
          return { exitCode: ended?.code ?? null, abortReason: mind.agent.endedBy };
        },
      };
      return runner;
    },
  };
}

interface State {
  context: AgentContext;
  starts: SessionStarts;
  place: ModelPlace;
  settings: Settings;
  startedMs: number | null;
  mind: MindProcess | null;
  /** How its last process ended. */
  last: Awaited<ReturnType<AgentRunner['close']>>;
}

function placeOf(settings: Settings, context: AgentContext): ModelPlace {
  const reference = context.model ?? settings.in_process;
  if (reference === null) {
    throw new BatonError('CONFIG_INVALID', `The agent "${context.name}" needs a model.`, {
      fix: 'Set `model: provider/model` on the step or for its role, or `in_process: provider/model` in the agent.',
    });
  }
  return modelPlace(reference, { baseUrl: settings.base_url, keyVariable: settings.api_key_env });
}

async function runTask(state: State, request: TaskRequest, handlers: TaskHandlers): Promise<Finished> {
  const { context } = state;
  state.startedMs ??= context.clock.monotonicMs();
  const queue = context.openQueue(handlers);
  // The handler of checkpoints keeps each one: a file besides would only be left behind when we are killed.
  const file = openCheckpointFile(handlers.onCheckpoint === undefined ? fileOf(context, request) : null);
  const keep = async (said: Checkpoint) => {
    const checkpoint = redactStrings(said, context.redact);
    file.append(checkpoint);
    await handlers.onCheckpoint?.(checkpoint);
  };
  const ending = await goOn(state, { request, handlers, queue, keep, file });
  const finished: Finished = {
    type: 'finished',
    exitCode: null,
    resetAt: null,
    ...ending,
    summary: context.redact(ending.summary),
  };
  if (finished.outcome === 'rate_limited')
    queue.push({ type: 'rate_limited', resetAt: finished.resetAt, provider: state.place.provider });
  queue.push(finished);
  context.log.write(`\n[${finished.outcome}] ${finished.summary}\n`);
  await queue.drain();
  return finished;
}

interface Task {
  request: TaskRequest;
  handlers: TaskHandlers;
  queue: ReturnType<AgentContext['openQueue']>;
  keep(checkpoint: Checkpoint): Promise<void>;
  file: CheckpointFile;
}

/** Works on the task, in a second and third process when one dies of itself. */
async function goOn(state: State, task: Task): Promise<Supervised> {
  const { context } = state;
  const told = { usages: 0 };
  for (let restarts = 0; ; restarts += 1) {
    const { signal } = task.request;
    if (signal?.aborted)
      return { ...classifyEnding(abortReasonOf(signal)), summary: 'Ended before it began.' };
    if (state.mind === null) {
      const start = () => startMindProcess(context, { without: keysOf(state.place) });
      const mind = await state.starts.begin(start);
      if (mind === null) return { ...classifyEnding('shutdown_signal'), summary: 'Ended before it began.' };
      if ('error' in mind) {
        const outcome = classifySpawnError(mind.error);
        return { ...outcome, summary: `Its process cannot be started (${mind.error}).` };
      }
      state.mind = mind;
    }
    const attended = await superviseProcess(
      { context, mind: state.mind, startedMs: state.startedMs ?? 0 },
      { ...task, told, start: startOf(state, task) },
    );
    const { agent } = state.mind;
    const isGone = attended.outcome !== 'done' && (agent.endedBy !== null || attended.died === true);
    if (isGone) {
      await agent.kill();
      state.mind = null;
      state.last = {
        exitCode: attended.exitCode ?? null,
        abortReason: agent.endedBy ?? attended.abortReason,
      };
    }
    const { died, ...rest } = attended;
    if (died !== true || restarts === mostRestarts || task.file.read().length === 0) return rest;
    task.queue.push({
      type: 'message',
      kind: 'notice',
      text: `Its process ended (${attended.summary}). It continues from its last checkpoint.`,
    });
  }
}

function startOf({ context, place, settings }: State, { request, file }: Task): StartMessage {
  const { keyVariable } = place;
  const apiKey = keyVariable === null ? null : (context.env[keyVariable] ?? null);
  const keys = keysOf(place);
  const checkEnv = Object.fromEntries(Object.entries(context.env).filter(([name]) => !keys.includes(name)));
  return {
    type: 'start',
    taskId: request.taskFile.id,
    prompt: request.prompt,
    instructions: instructionsFor({ root: context.cwd, checks: Object.keys(settings.checks ?? {}) }),
    root: context.cwd,
    model: place,
    apiKey,
    checks: settings.checks ?? {},
    checkEnv: { ...checkEnv, [markerVariable]: context.marker },
    checkTimeoutMs,
    maxSteps: settings.max_steps ?? null,
    contextTokens: settings.context_tokens ?? null,
    effort: context.effort,
    retries,
    reflect: settings.reflect ?? false,
    log: file.read(),
  };
}

/** Variables to hide from the programs of a check. */
function keysOf(place: ModelPlace): string[] {
  return [...providers.map((one) => one.keyVariable), place.keyVariable].filter((name) => name !== null);
}

/** A file for each session and task: another attempt starts on another tree, where the old memory would be wrong. */
function fileOf({ stateDir, marker }: AgentContext, { taskFile }: TaskRequest): string | null {
  if (stateDir === null) return null;
  const name = `${taskFile.id}-${taskFile.attempt}-${marker}`.replace(/[^A-Za-z0-9._-]/g, '_');
  return path.join(stateDir, 'checkpoints', `${name}.jsonl`);
}

function later(ms: number): Promise<null> {
  return new Promise((resolve) => void setTimeout(() => resolve(null), ms).unref());
}
