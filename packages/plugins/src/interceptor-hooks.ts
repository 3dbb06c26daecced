import { effort, taskDraft } from '@baton/contracts';
import { z } from 'zod';

const id = z.string().min(1);

/**
 * Every moment at which a plugin may step in: what it receives, strictly, and which of it it may change.
 * Source: docs/spec/plugins.md#interceptors.
 */
export const interceptorHooks = {
  /** Before a task is written. A veto: it is not created. */
  'task:beforeCreate': {
    payload: z.strictObject({ runId: id.nullable(), draft: taskDraft }),
    mayChange: ['draft'],
  },
  /** After the claim of a batch, before anything is launched. A veto: its tasks are released. */
  'task:claimed': {
    payload: z.strictObject({
      runId: id,
      workerId: id,
      tasks: z.array(
        z.strictObject({
          id,
          key: z.string(),
          title: z.string(),
          role: z.string(),
          labels: z.array(z.string()),
        }),
      ),
    }),
    mayChange: [],
  },
  /** Before an agent's process starts. A veto: its tasks are released. */
  'agent:beforeSpawn': {
    payload: z.strictObject({
      runId: id,
      taskIds: z.array(id),
      agentName: z.string(),
      model: z.string().nullable(),
      workspace: z.string(),
    }),
    mayChange: [],
  },
  /** An agent asks whether it may use a tool. A veto: denied. */
  'agent:permission': {
    payload: z.strictObject({ runId: id, taskId: id, sessionId: id, title: z.string(), kind: z.string() }),
    mayChange: [],
  },
  /** The prompt of a task, before it is sent. A veto: the task is released. */
  'prompt:build': {
    payload: z.strictObject({ runId: id, taskId: id, prompt: z.string().min(1) }),
    mayChange: ['prompt'],
  },
  /** A verified tree is about to land. A veto: it is rejected. */
  'landing:beforeMerge': {
    payload: z.strictObject({
      runId: id,
      taskId: id,
      target: z.string(),
      commit: z.string(),
      tree: z.string(),
    }),
    mayChange: [],
  },
  /** Before agent and model are chosen. A veto: the task is released. */
  'cost:beforeRoute': {
    payload: z.strictObject({
      runId: id,
      taskId: id,
      role: z.string(),
      agent: z.string().nullable(),
      model: z.string().nullable(),
      effort: effort.nullable(),
    }),
    mayChange: ['agent', 'model', 'effort'],
  },
} as const satisfies Record<string, { payload: z.ZodObject; mayChange: readonly string[] }>;

/** A moment at which a plugin may step in. */
export type InterceptorHook = keyof typeof interceptorHooks;

/** What an interceptor receives at each moment. */
export type InterceptorPayloads = {
  [Hook in InterceptorHook]: z.output<(typeof interceptorHooks)[Hook]['payload']>;
};

type Changeable<Hook extends InterceptorHook> = (typeof interceptorHooks)[Hook]['mayChange'][number] &
  keyof InterceptorPayloads[Hook];

/** What an interceptor answers: nothing (continue), a veto with its reason, or new values of what it may change. */
export type InterceptorAnswer<Hook extends InterceptorHook> =
  | void
  | { deny: string }
  | ([Changeable<Hook>] extends [never]
      ? never
      : { change: Partial<Pick<InterceptorPayloads[Hook], Changeable<Hook>>> });
