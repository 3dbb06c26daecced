import type { AgentEvent, Clock, Effort } from '@baton/contracts';
import {
  advanceTask,
  checkpointOf,
  withContext,
  type AbortReason,
  type Checkpoint,
  type CognitiveEvent,
  type CognitiveTask,
  type PostTaskReflection,
  type TaskContext,
  type TaskRegistry,
  type TransitionReason,
} from '@baton/fsm-core';
import type { LanguageModel } from 'ai';
import type { PermissionPolicy } from '../../agent/adapter.ts';
import type { ModelFailure } from './model-failure.ts';
import type { CognitiveTool } from '../tools/tool.ts';

/** What {@link runCognitiveTask} works with. */
export interface CognitiveOptions {
  /** Any model of the AI SDK. */
  model: LanguageModel;
  /** System prompt. */
  instructions: string;
  tools: readonly CognitiveTool[];
  clock: Clock;
  /** Suspends the task when aborted: what is under way ends, and the context is kept. */
  signal: AbortSignal;
  /** Keeps a checkpoint; the task continues when it is kept. */
  keep(checkpoint: Checkpoint): void | Promise<void>;
  onEvent(event: AgentEvent): void;
  /** Asked before a tool edits or executes; everything is allowed where it is left out. */
  permission?: PermissionPolicy;
  /** Takes secrets out of what tools give, before the model or a log sees it. */
  redact?(text: string): string;
  /** Warns when more tasks are active than it should hold; never refuses. */
  registry?: TaskRegistry;
  /** Answers of the model; 60 by default. */
  maxSteps?: number;
  /** The conversation is summed up when a question held more tokens than this; 100 000 by default. */
  contextTokens?: number;
  /** Reasoning effort of the model; left out: the provider's default. */
  effort?: Effort;
  /** How often a question is asked again that failed for a passing reason; 2 by default. */
  retries?: number;
  /** Calls of tools under way, by id: each can be aborted alone. */
  calls?: Map<string, AbortController>;
  /** Whether the model may ask back (`ask`), which suspends the task until there is an answer. */
  canAsk?: boolean;
  /** The answer to what the model asked back: the task continues with it. */
  answer?: string;
  /** Whether the model looks back on a completed task. */
  reflect?: boolean;
}

/** State of a cognitive task when its loop returns. */
export interface CognitiveEnd {
  task: CognitiveTask;
  /** `suspended`: it can be resumed; the context says why. */
  outcome: 'done' | 'suspended' | ModelFailure['outcome'];
  /** What the model said at the end, or why it ended. */
  summary: string;
  abortReason: AbortReason | null;
  transitionReason?: TransitionReason;
  resetAt: string | null;
  reflection: PostTaskReflection | null;
}

/** Why a task cannot continue. */
export type Failure = Pick<
  CognitiveEnd,
  'outcome' | 'summary' | 'abortReason' | 'transitionReason' | 'resetAt'
>;

/** A failure on its way to the loop, which moves the task to failed. */
export class CognitiveFailure extends Error {
  override readonly name = 'CognitiveFailure';
  readonly failure: Failure;

  constructor(failure: Partial<Failure> & { summary: string }) {
    super(failure.summary);
    this.failure = { outcome: 'failed', abortReason: null, resetAt: null, ...failure };
  }
}

/** One task being worked on: every change of it goes through here. */
export interface Mind {
  readonly options: CognitiveOptions;
  task(): CognitiveTask;
  context(): TaskContext;
  /** Changes the context between moves. */
  note(changes: Partial<TaskContext>): void;
  /** Moves the task, then keeps the checkpoint that the move calls for. */
  move(type: CognitiveEvent['type'], reason: string): Promise<void>;
  /** Tokens of the last question. */
  contextTokens: number;
}

/**
 * Opens a task for work.
 *
 * @param options.saved The context at the last checkpoint of a task that is resumed.
 */
export function openMind(begun: CognitiveTask, options: CognitiveOptions): Mind {
  let task = begun;
  // What a replayed log gave is what its last checkpoint saved.
  let saved = begun.snapshot.seq === 0 ? undefined : begun.snapshot.context;
  options.registry?.register(task);
  return {
    options,
    contextTokens: 0,
    task: () => task,
    context: () => task.snapshot.context,
    note(changes) {
      task = withContext(task, changes);
    },
    async move(type, reason) {
      const at = options.clock.now().getTime();
      const advanced = advanceTask(task, { type, actor: 'in-process', reason, at });
      if (!advanced.ok) throw new CognitiveFailure({ summary: `${type} was refused: ${advanced.code}` });
      task = advanced.task;
      options.registry?.register(task);
      const checkpoint = checkpointOf(advanced.decision, saved);
      if (checkpoint === null) return;
      saved = task.snapshot.context;
      await options.keep(checkpoint);
    },
  };
}
