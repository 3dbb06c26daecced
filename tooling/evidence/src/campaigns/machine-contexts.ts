import { machines } from '@baton/fsm-core';

const step = { index: 0, description: 'step', actionType: 'tool_call', actionParams: {}, completed: false };
const plans = [
  null,
  { goal: 'g', reasoning: 'r', steps: [step] },
  { goal: 'g', reasoning: 'r', steps: [{ ...step, completed: true }] },
];

/** Contexts that bring each dynamic target of a machine about; one empty context for machines without such targets. */
export function contextsOf(machine: string): readonly unknown[] {
  if (machine !== 'cognitive') return [undefined];
  const empty = machines.cognitive.emptyContext;
  return plans.flatMap((plan) =>
    [null, 'reasoning', 'acting'].map((suspendedState) => ({ ...empty, plan, suspendedState })),
  );
}
