import { z } from 'zod';
import { reviewSignals } from './review.ts';
import { argv, microUsd, pathPrefix, repoPath, settledDuration, timeLimit, timeLimitMs } from './units.ts';

/** How much work a task is; sets its time limits. Source: docs/spec/kernel.md#time-limits-by-scope-binding. */
export const scope = z.enum(['small', 'medium', 'large', 'xl']);
/** How hard a task is to think through; sets the effort that is asked of its agent. */
export const complexity = z.enum(['low', 'medium', 'high']);
/** How much an agent is asked to think. */
export const effort = z.enum(['low', 'medium', 'high']);
/** Reasoning effort of an agent for a task. */
export type Effort = z.output<typeof effort>;
/** How much harm a wrong result would do. */
export const risk = z.enum(['low', 'medium', 'high']);

/** A name for steps, agents and gates: letters, digits, dot, dash, underscore. */
export const keyName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'letters, digits, ".", "-", "_"; at most 64 characters');

const signalsTimedBy = <Timeout extends z.ZodType<number>>(timeout: Timeout) =>
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('path_exists'), path: repoPath }),
    z.strictObject({ type: z.literal('glob_exists'), pattern: repoPath }),
    z.strictObject({ type: z.literal('file_contains'), path: repoPath, text: z.string().min(1) }),
    z.strictObject({ type: z.literal('file_not_contains'), path: repoPath, text: z.string().min(1) }),
    z.strictObject({ type: z.literal('command_succeeds'), command: argv, timeout: timeout.optional() }),
    z.strictObject({ type: z.literal('diff_within'), paths: z.array(pathPrefix).min(1) }),
    ...reviewSignals,
  ]);

/**
 * What must hold on the exact tree that lands before a task is CLOSED (docs/spec/landing.md#signals). The same strict schema serves
 * plans, triggers and the API.
 */
export const completionSignal = signalsTimedBy(timeLimit);
export type CompletionSignal = z.output<typeof completionSignal>;

const envValue = z.string();

const agentEnv = z
  .record(z.string(), envValue)
  .optional()
  .describe('further variables; "${NAME}" takes NAME from your environment');

const warm = z
  .boolean()
  .optional()
  .describe(
    'true: it benefits from one long session, so tasks share it up to `batch_size` even while other agents are free',
  );

/**
 * How an agent is started: by its name, by a command, by a command that speaks the Agent Client Protocol, or as Baton's own
 * loop around a model (`in_process`).
 */
export const agentDefinition = z.union([
  z.strictObject({ command: argv, env: agentEnv }),
  z.strictObject({
    acp: argv,
    env: agentEnv,
    model: z.string().min(1).optional(),
    mode: z.string().min(1).optional().describe('session mode to choose, e.g. "yolo" or "bypassPermissions"'),
    warm,
  }),
  z.strictObject({
    in_process: z
      .string()
      .regex(/^[^/\s]+\/\S+$/, 'must be provider/model, e.g. "openai/gpt-5-mini"')
      .nullable()
      .describe('provider/model; null: the model of the step or of its role'),
    env: agentEnv,
    base_url: z.url().optional().describe("address of an OpenAI-compatible API; default: the provider's own"),
    api_key_env: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
      .optional()
      .describe('variable that holds the key; default: the usual one of the provider'),
    checks: z
      .record(keyName, argv)
      .optional()
      .describe('programs that the agent may run, by name, e.g. { test: [npm, test] }'),
    max_steps: z.number().int().min(1).max(1_000).optional().describe('answers of the model; default 60'),
    context_tokens: z
      .number()
      .int()
      .min(1_000)
      .optional()
      .describe('the conversation is summed up when it grows beyond this; default 100000'),
    warm,
    reflect: z
      .boolean()
      .optional()
      .describe('true: the model looks back on a finished task, for one more answer'),
  }),
]);
export type AgentDefinition = z.output<typeof agentDefinition>;

/** Where a task came from; decides how far its text is trusted. */
export const taskSource = z.strictObject({
  kind: z.enum(['plan', 'goal', 'api', 'trigger', 'agent']),
  /** Who or what: an operator's name, a rule, a delivery id. */
  by: z.string().min(1),
  /** False for text from outside; such a task starts PLANNED. */
  trusted: z.boolean(),
  deliveryId: z.string().optional(),
  /** How many of Baton's own runs stand before it in the chain of causes; absent: 0. Ends trigger loops. */
  depth: z.number().int().nonnegative().optional(),
});
export type TaskSource = z.output<typeof taskSource>;

/** A task to create, complete and normalised: what the store takes. Durations in ms, money in micro-USD. */
export const taskDraft = z.strictObject({
  /** Unique within its run; used by `dependsOn`. */
  key: keyName,
  title: z.string().min(1).max(500),
  goal: z.string().max(100_000),
  role: z.string().min(1).max(64),
  scope,
  complexity,
  risk: risk.default('low'),
  /** 0 jumps the queue, 1 high … 5 low. */
  priority: z.number().int().min(0).max(5),
  /** Path prefixes that the task owns; two live tasks never own overlapping ones. */
  files: z.array(pathPrefix),
  context: z.array(repoPath),
  /** Time limits as numbers are milliseconds here, as everywhere in a draft. */
  signals: z.array(signalsTimedBy(settledDuration)),
  /** Name of an agent of the run, or a definition. Null: the router decides. */
  agent: z.union([keyName, agentDefinition]).nullable(),
  model: z.string().nullable(),
  effort: effort.nullable(),
  labels: z.array(z.string().min(1)),
  dependsOn: z.array(keyName),
  maxRetries: z.number().int().min(0).max(20),
  /** Attempts in all, for it and what it is split into, before a person decides; absent: 10, or 5 for each try. */
  maxAttempts: z.number().int().min(1).max(1000).optional(),
  notBefore: z.iso.datetime().nullable(),
  timeoutMs: timeLimitMs.nullable(),
  maxCostMicroUsd: microUsd.nullable(),
  approval: z.boolean(),
  allowRed: z.array(keyName),
  source: taskSource,
  idempotencyKey: z.string().min(1).max(200).nullable(),
});
export type TaskDraft = z.output<typeof taskDraft>;

/** Defaults of a task: for the step of a plan and a task that is handed to the store alike. */
export const taskDefaults = {
  role: 'backend',
  scope: 'medium',
  complexity: 'medium',
  risk: 'low',
  priority: 2,
  maxRetries: 3,
} as const;

const draftFields = taskDraft.shape;

/** A task as somebody hands it in: only its key must be given. {@link draftTask} completes it. */
export const newTask = z.strictObject({
  ...draftFields,
  title: draftFields.title.optional(),
  goal: draftFields.goal.optional(),
  role: draftFields.role.default(taskDefaults.role),
  scope: scope.default(taskDefaults.scope),
  complexity: complexity.default(taskDefaults.complexity),
  risk: risk.default(taskDefaults.risk),
  priority: draftFields.priority.default(taskDefaults.priority),
  files: draftFields.files.default([]),
  context: draftFields.context.default([]),
  signals: draftFields.signals.default([]),
  agent: draftFields.agent.default(null),
  model: draftFields.model.default(null),
  effort: draftFields.effort.default(null),
  labels: draftFields.labels.default([]),
  dependsOn: draftFields.dependsOn.default([]),
  maxRetries: draftFields.maxRetries.default(taskDefaults.maxRetries),
  notBefore: draftFields.notBefore.default(null),
  timeoutMs: draftFields.timeoutMs.default(null),
  maxCostMicroUsd: draftFields.maxCostMicroUsd.default(null),
  approval: draftFields.approval.default(false),
  allowRed: draftFields.allowRed.default([]),
  source: taskSource.optional(),
  idempotencyKey: draftFields.idempotencyKey.default(null),
});
export type NewTask = z.input<typeof newTask>;

/**
 * Completes a task that was parsed: its title is its key, its goal its title, unless they are given.
 *
 * @param source where it comes from, unless it says so itself. Pure.
 */
export function draftTask(given: z.output<typeof newTask>, source: TaskSource): TaskDraft {
  const title = given.title ?? given.key;
  return { ...given, title, goal: given.goal ?? title, source: given.source ?? source };
}
export type Scope = z.output<typeof scope>;
