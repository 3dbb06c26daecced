import type { Plan } from './plan.ts';

/** One message of the working memory. Ids let checkpoints tell which ones are new. */
export interface Message {
  readonly id: string;
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  /** Calls and results of tools, as the model's interface has them. */
  readonly parts?: readonly unknown[] | undefined;
}

/** What one step did. Times in milliseconds since the Unix epoch. */
export interface ActionResult {
  readonly stepIndex: number;
  readonly actionType: string;
  readonly actionInput: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly success: boolean;
  readonly error?: string | undefined;
  readonly startedAt: number;
  readonly completedAt?: number | undefined;
  readonly durationMs?: number | undefined;
}

/** A verdict of the old reflection stage; kept so that old contexts still read. */
export interface Reflection {
  readonly verdict: 'complete' | 'continue' | 'replan';
  readonly assessment: string;
  readonly lessons: string;
  readonly nextFocus?: string | undefined;
}

/** What is learned after a task is over; never changes the task. Source: docs/spec/kernel.md#reflection-after-a-task. */
export interface PostTaskReflection {
  readonly facts: readonly { readonly path: string; readonly content: string }[];
  readonly episode: {
    readonly title: string;
    readonly summary: string;
    readonly details: string;
    readonly lesson: string;
  } | null;
  readonly assessment: string;
}

/** Everything a cognitive task gathers from creation to completion. Source: docs/spec/kernel.md#cognitive-context-binding. */
export interface TaskContext {
  readonly inputText: string;
  readonly inputMetadata: Readonly<Record<string, unknown>>;
  readonly source: string;
  readonly reasoning: Readonly<Record<string, unknown>> | null;
  readonly plan: Plan | null;
  readonly actionsDone: readonly ActionResult[];
  readonly reflections: readonly Reflection[];
  readonly postReflection?: PostTaskReflection | null | undefined;
  /** Rounds of reasoning and acting so far. */
  readonly iteration: number;
  readonly finalResult: unknown;
  readonly error: string | null;
  /** State before suspension; null unless suspended. */
  readonly suspendedState: string | null;
  readonly suspendReason: string | null;
  readonly messages: readonly Message[];
}

/** The context of a task that nothing has happened to. */
export const EMPTY_CONTEXT: TaskContext = {
  inputText: '',
  inputMetadata: {},
  source: '',
  reasoning: null,
  plan: null,
  actionsDone: [],
  reflections: [],
  postReflection: null,
  iteration: 0,
  finalResult: null,
  error: null,
  suspendedState: null,
  suspendReason: null,
  messages: [],
};

/** Fields set when a task is suspended. */
export function suspendPatch(
  from: string,
  reason: string,
): Pick<TaskContext, 'suspendedState' | 'suspendReason'> {
  return { suspendedState: from, suspendReason: reason };
}

/** Fields cleared on every exit from suspended. */
export function resumePatch(): Pick<TaskContext, 'suspendedState' | 'suspendReason'> {
  return { suspendedState: null, suspendReason: null };
}

/** Fields set when a task fails: the first error stays; a suspended task is suspended no longer. */
export function failPatch(
  context: TaskContext,
  reason: string,
): Pick<TaskContext, 'error' | 'suspendedState' | 'suspendReason'> {
  return { error: context.error ?? reason, suspendedState: null, suspendReason: null };
}
