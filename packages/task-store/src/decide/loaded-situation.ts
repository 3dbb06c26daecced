import { agentMachine, executionMachine, taskMachine, turnMachine } from '@baton/fsm-core';
import { z } from 'zod';

/** What decisions know of a task. */
export const taskState = z.object({
  id: z.string(),
  runId: z.string(),
  parentId: z.string().nullable(),
  status: z.enum(taskMachine.states),
  version: z.number(),
  fence: z.number(),
  tries: z.number(),
  grantedTries: z.number(),
  maxRetries: z.number(),
  conflicts: z.number(),
  setbacks: z.number(),
  cancelRequested: z.boolean(),
  unpaidTries: z.number(),
  lineage: z
    .object({
      spent: z.number(),
      maxRetries: z.number(),
      maxAttempts: z.number().nullable(),
      granted: z.number(),
    })
    .nullable(),
});

/** What decisions know of an attempt. */
export const attemptState = z.object({
  id: z.string(),
  taskId: z.string(),
  fence: z.number(),
  place: z.number(),
  turnStatus: z.enum(turnMachine.states),
  turnSeq: z.number(),
  openTools: z.number(),
  startCommit: z.string().nullable(),
  headCommit: z.string().nullable(),
  orphanCounts: z.boolean(),
});

/** One row of what a fact is decided on. */
export const situationRow = z.object({
  now: z.coerce.date(),
  session: z
    .object({
      id: z.string(),
      runId: z.string(),
      status: z.enum(agentMachine.states).nullable(),
      statusSeq: z.number(),
      executionState: z.enum(executionMachine.states),
      executionSeq: z.number(),
      currentAttemptId: z.string().nullable(),
    })
    .nullable(),
  items: z.array(z.object({ task: taskState, attempt: attemptState })),
  others: z.array(taskState).default([]),
});

/** A situation as it is read, with the parents of its tasks. */
export type LoadedSituation = z.output<typeof situationRow>;
