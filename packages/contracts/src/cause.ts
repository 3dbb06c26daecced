import { BatonError } from './error.ts';

/** The run that brings an event about, and how long the chain of causes is with it. */
export interface EventCause {
  runId: string;
  depth: number;
}

/** Longest chain that an event can name. */
const mostDepth = 1000;
const names = { run: 'BATON_CAUSE_RUN', depth: 'BATON_CAUSE_DEPTH' };

/**
 * The variables that tell an agent's commands which run they are part of: what they send has this cause. Pure.
 * @param options.depths how many runs of Baton led to each task of the agent; 0 for a task that no such event made
 */
export function causeVariables(options: {
  runId: string;
  depths: readonly number[];
}): Record<string, string> {
  const depth = Math.min(mostDepth, Math.max(0, ...options.depths) + 1);
  return { [names.run]: options.runId, [names.depth]: String(depth) };
}

/**
 * The cause of what a command sends, from its environment; null: no agent of Baton started it. Pure.
 * @throws INVALID_INPUT for variables that say less than both, or no number: such an event may be part of a loop
 */
export function causeOfVariables(env: Readonly<Record<string, string | undefined>>): EventCause | null {
  const { [names.run]: runId, [names.depth]: text } = env;
  if (runId === undefined && text === undefined) return null;
  const depth = /^[1-9][0-9]{0,3}$/.test(text ?? '') ? Number(text) : Number.NaN;
  if (runId !== undefined && runId !== '' && runId.length <= 64 && depth <= mostDepth)
    return { runId, depth };
  throw new BatonError(
    'INVALID_INPUT',
    `${names.run} and ${names.depth} do not say which run is the cause.`,
    {
      at: names.depth,
      fix: 'Leave them as Baton sets them for its agents, or remove both.',
    },
  );
}
