import {
  EMPTY_CONTEXT,
  failPatch,
  resumePatch,
  suspendPatch,
  type TaskContext,
} from '../cognitive/context.ts';
import { completionRoute } from '../cognitive/plan.ts';
import type { PatchMove, StateOf } from '../definition.ts';
import { defineMachine } from '../machine.ts';

const byPlan = {
  pick: (context: TaskContext) => completionRoute(context.plan),
  among: ['acting', 'reasoning', 'completed'],
} as const;

const backToStored = {
  // A stored state that is neither of the two is refused by the kernel, not guessed at.
  pick: (context: TaskContext) => (context.suspendedState ?? 'reasoning') as 'reasoning' | 'acting',
  among: ['reasoning', 'acting'],
} as const;

const suspended = (_: TaskContext, move: PatchMove) => suspendPatch(move.from, move.event.reason);
const cleared = () => resumePatch();
const failed = (context: TaskContext, move: PatchMove) => failPatch(context, move.event.reason);

/**
 * One reasoning loop around a model: 6 states, 14 of 60 cells, two dynamic rules, driven by event.
 * Source: docs/spec/kernel.md#cognitive-transitions-binding.
 */
export const cognitiveMachine = defineMachine({
  id: 'cognitive',
  version: 1,
  entityType: 'cognitive',
  drivenBy: 'event',
  states: ['idle', 'reasoning', 'acting', 'suspended', 'completed', 'failed'],
  initial: ['idle'],
  terminal: ['completed', 'failed'],
  groups: { active: ['reasoning', 'acting'] },
  rules: [
    { from: 'idle', on: 'TASK_CREATED', to: 'reasoning' },
    { from: 'reasoning', on: 'REASON_DONE', to: 'acting' },
    { from: 'reasoning', on: 'NEED_MORE_INFO', to: 'suspended', patch: suspended },
    { from: 'suspended', on: 'MESSAGE_RECEIVED', to: 'reasoning', patch: cleared },
    { from: 'acting', on: 'TOOL_CALL_COMPLETED', to: byPlan, note: 'By the plan: completion routing' },
    { from: 'acting', on: 'TOOL_CALL_FAILED', to: byPlan, note: 'Routes like a success' },
    { from: 'acting', on: 'STEP_COMPLETED', to: byPlan, note: 'By the plan: completion routing' },
    {
      from: 'suspended',
      on: 'TASK_RESUMED',
      to: backToStored,
      patch: cleared,
      note: 'Back to the stored state',
    },
    { from: { group: 'active' }, on: 'TASK_SUSPENDED', to: 'suspended', patch: suspended },
    {
      from: '*',
      on: 'TASK_FAILED',
      to: 'failed',
      patch: failed,
      note: 'From every state that is not terminal',
    },
  ],
  aliases: [],
  overrides: [],
  error: 'InvalidStateTransition',
  emptyContext: EMPTY_CONTEXT,
});

/** The 6 cognitive states. */
export type CognitiveState = StateOf<typeof cognitiveMachine>;
