import {
  agentDefinition,
  checkResult,
  completionSignal,
  gate,
  review,
  taskSource,
  verdict,
  workspaceSetup,
} from '@baton/contracts';
import { agentMachine, executionMachine, taskMachine, turnMachine } from '@baton/fsm-core';
import { z } from 'zod';
import type { RecordOutcome } from '../model/fact.ts';
import type { Task } from '../model/task.ts';
import { snake } from './column-names.ts';

/** int8 arrives as text from tables and as a number in JSON. */
export const int = z.coerce.number().int();
export const date = z.coerce.date();
const json = z.unknown();
/** A list that may never have been written. */
export const texts = z
  .array(z.string())
  .nullable()
  .transform((list) => list ?? []);

/** A row of a table or a JSON object of one, whose further columns stay inside the store. */
export function row<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.keys(shape).map((name) => [name, snake(name)] as const);
  const named = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const columns = value as Record<string, unknown>;
    const fields: Record<string, unknown> = {};
    for (const [name, column] of names) fields[name] = column in columns ? columns[column] : columns[name];
    return fields;
  };
  return z.preprocess(named, z.object(shape));
}

export const repoRow = row({ id: z.string(), location: z.string(), host: z.string().nullable() });

export const workerRow = row({
  id: z.string(),
  name: z.string(),
  host: z.string(),
  pid: z.number(),
  pidStarted: z.string(),
  bootId: z.string(),
  capacity: z.number(),
  labels: z.array(z.string()),
  version: z.string(),
  runId: z.string().nullable(),
  status: z.enum(['online', 'draining', 'offline']),
  heartbeatAt: date,
  silentMs: int,
  withdrawn: z.array(z.object({ agent: z.string(), reason: z.string(), until: z.string() })),
});

export const runRow = row({
  id: z.string(),
  slug: z.string(),
  name: z.string(),
  repoId: z.string(),
  status: z.enum(['running', 'paused', 'waiting', 'stuck', 'done', 'failed', 'cancelled']),
  statusReason: z.string().nullable(),
  seq: z.number(),
  standing: z.boolean(),
  target: z.string(),
  baseCommit: z.string().nullable(),
  batchSize: z.number(),
  maxAgents: z.number().nullable(),
  trust: z.enum(['observe', 'enforce']),
  review: z.boolean(),
  budgetMicroUsd: int.nullable(),
  spentMicroUsd: int,
  reservedMicroUsd: int,
  unmeasuredMicroUsd: int.default(0),
  unmeasuredAttempts: int.default(0),
  gates: z.array(stored(gate)),
  gatesHash: z.string(),
  allowRed: z.array(z.string()),
  workspace: stored(workspaceSetup).nullable(),
  agents: z.record(z.string(), agentDefinition),
  defaultAgent: z.union([z.string(), agentDefinition]).nullable(),
  routing: json,
  plan: json,
  createdBy: z.string(),
  createdAt: date,
  finishedAt: date.nullable(),
});

/** What was parsed once, on the way in, is only typed on the way out: parsing is not idempotent where units are converted. */
function stored<T extends z.ZodType>(_: T): z.ZodType<z.output<T>> {
  return z.custom<z.output<T>>((value) => typeof value === 'object' && value !== null);
}

export const taskRow = row({
  id: z.string(),
  runId: z.string(),
  repoId: z.string(),
  parentId: z.string().nullable(),
  key: z.string(),
  title: z.string(),
  goal: z.string(),
  role: z.string(),
  scope: z.enum(['small', 'medium', 'large', 'xl']),
  complexity: z.enum(['low', 'medium', 'high']),
  risk: z.enum(['low', 'medium', 'high']),
  priority: z.number(),
  files: z.array(z.string()),
  context: z.array(z.string()),
  signals: z.array(stored(completionSignal)),
  agent: z.union([z.string(), agentDefinition]).nullable(),
  model: z.string().nullable(),
  effort: z.enum(['low', 'medium', 'high']).nullable(),
  labels: z.array(z.string()),
  status: z.enum(taskMachine.states),
  version: z.number(),
  pendingDependencies: z.number(),
  claimable: z.boolean(),
  maxRetries: z.number(),
  maxAttempts: z.number().nullish(),
  tries: z.number(),
  grantedTries: z.number(),
  conflicts: z.number(),
  notBefore: date.nullable(),
  timeoutMs: z.number().nullable(),
  maxCostMicroUsd: int.nullable(),
  approval: z.boolean(),
  allowRed: z.array(z.string()),
  blockedOn: z
    .custom<NonNullable<Task['blockedOn']>>((value) => typeof value === 'object' && value !== null)
    .nullable(),
  cancelRequested: z.boolean(),
  source: taskSource,
  createdAt: date,
  updatedAt: date,
  settled: z.boolean(),
  continueFrom: z.object({ startCommit: z.string(), headCommit: z.string() }).nullable(),
});

/** Where the head of an attempt lies, as it is stored. */
export const headPlace = z.discriminatedUnion('at', [
  z.object({ at: z.literal('repository'), ref: z.string() }),
  z.object({
    at: z.literal('clone'),
    host: z.string(),
    path: z.string(),
    ref: z.string(),
    why: z.string().optional(),
  }),
]);

export const attemptRow = row({
  id: z.string(),
  taskId: z.string(),
  runId: z.string(),
  sessionId: z.string().nullable(),
  number: z.number(),
  counted: z.boolean(),
  fence: int,
  workerId: z.string().nullable(),
  leaseExpiresAt: date.nullable(),
  turnStatus: z.enum(turnMachine.states),
  turnSeq: z.number(),
  baseCommit: z.string().nullable(),
  startCommit: z.string().nullable(),
  headCommit: z.string().nullable(),
  headPlace: headPlace.nullish().transform((place) => place ?? null),
  summary: z.string().nullable(),
  outcome: z.string().nullable(),
  abortReason: z.string().nullable(),
  rejections: texts,
  salvageRef: z.string().nullable(),
  review: review.nullish().transform((said) => said ?? null),
  route: json,
  inputTokens: int,
  outputTokens: int,
  costMicroUsd: int,
  costEstimated: z.boolean(),
  meter: z.enum(['none', 'open', 'measured', 'unknown', 'unmeasured']),
  unmeasuredMicroUsd: int,
  unmeasuredReason: z.string().nullable(),
  createdAt: date,
  endedAt: date.nullable(),
});

export const sessionRow = row({
  id: z.string(),
  runId: z.string(),
  workerId: z.string(),
  adapter: z.string(),
  model: z.string().nullable(),
  pid: z.number().nullable(),
  pidStarted: z.string().nullable(),
  host: z.string(),
  parentSessionId: z.string().nullable(),
  activity: z.string().nullable(),
  status: z.enum(agentMachine.states).nullable(),
  statusSeq: z.number(),
  executionState: z.enum(executionMachine.states),
  executionSeq: z.number(),
  exitCode: z.number().nullable(),
  abortReason: z.string().nullable(),
  workspace: z.string().nullable(),
  deadlineAt: date.nullable(),
  lastSignAt: date.nullable(),
  createdAt: date,
  endedAt: date.nullable(),
});

export const verdictRow = row({
  id: z.string(),
  attemptId: z.string(),
  taskId: z.string(),
  tree: z.string(),
  passed: z.boolean(),
  checks: verdict.shape.checks,
  results: z.array(stored(checkResult)),
  reasons: texts,
  durationMs: z.number(),
  createdAt: date,
});

export const baseVerdictRow = row({ verdict: stored(verdict) });

export const approvalRow = row({
  id: z.string(),
  runId: z.string(),
  taskId: z.string(),
  attemptId: z.string(),
  reason: z.string(),
  headCommit: z.string(),
  patchId: z.string(),
  status: z.enum(['waiting', 'approved', 'rejected', 'void']),
  decidedBy: z.string().nullable(),
  decisionReason: z.string().nullable(),
  nonce: z.string(),
  createdAt: date,
  decidedAt: date.nullable(),
});

export const deliveryRow = row({
  id: z.string(),
  source: z.string(),
  deliveryId: z.string(),
  kind: z.string(),
  receivedAt: date,
  taskIds: texts,
});

/** What a report was answered, as its command keeps it. */
export const recordOutcome = z.custom<RecordOutcome>((value) => typeof value === 'object' && value !== null);

/** Comes with the names of the types, see `eventColumns`: many are read, so nothing is renamed here. */
export const eventRow = z.object({
  id: z.string(),
  position: int.nullable(),
  machine: z.enum(['task', 'agent', 'turn', 'cognitive', 'execution', 'run']),
  version: z.number(),
  entityId: z.string(),
  runId: z.string().nullable(),
  taskId: z.string().nullable(),
  seq: z.number(),
  from: z.string().nullable(),
  to: z.string(),
  event: z.string(),
  alias: z.string().nullable(),
  kind: z.enum(['created', 'move', 'override', 'refused', 'late_report']),
  actor: z.string(),
  reason: z.string(),
  transitionReason: z.string().nullable(),
  abortReason: z.string().nullable(),
  trigger: z.string().nullable(),
  metadata: z.custom<Record<string, unknown>>((value) => typeof value === 'object' && value !== null),
  at: z.date(),
});

/** A move of a step: what is the same for all changes of that step. */
export const stepMoveRow = z.object({
  step: z.number(),
  n: z.number(),
  machine: z.enum(['task', 'agent', 'turn', 'execution', 'run']),
  version: z.number(),
  from: z.string().nullable(),
  to: z.string().nullable(),
  event: z.string().nullable(),
  alias: z.string().nullable(),
  kind: z.enum(['created', 'move', 'override', 'refused', 'late_report']),
  trigger: z.string().nullable(),
  transitionReason: z.string().nullable(),
  back: z.number(),
  carries: z.boolean(),
});

export type StepMove = z.output<typeof stepMoveRow>;

export const idRow = z.object({ id: z.string() });
