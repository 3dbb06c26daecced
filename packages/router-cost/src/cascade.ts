import type { Effort, Routing } from '@baton/contracts';
import type { Catalog } from './catalog.ts';
import { rung } from './ladder.ts';
import type { PastAttempt } from './route-types.ts';

const efforts: readonly Effort[] = ['low', 'medium', 'high'];

/** Ends that say the work was beyond the agent; only these make the next try stronger. */
const tooWeak = new Set(['rejected', 'agent_failed']);

/** Why other ends leave model and effort alone. */
const notItsFault: Readonly<Record<string, string>> = {
  conflict: 'others landed first',
  base_rejected: 'the base was red',
  head_lost: 'its finished work could not be read any more',
  agent_unavailable: 'the agent could not be started',
  crashed: 'the process died',
  timeout: 'it ran out of time, and more effort would only take longer',
  rate_limited: 'the provider was busy',
  parked: 'the provider was busy',
  provider_down: 'the provider failed',
  budget: 'there was no money for it',
  price_unknown: 'its price is unknown',
  spawn_failed: 'it never started',
  released: 'it was handed back',
  cancelled: 'it was cancelled',
};

/** Model and effort of a try, with the reasons of each step. */
export interface Strength {
  model: string | null;
  effort: Effort | null;
  reasons: string[];
}

/**
 * Makes the next try stronger by how often the work was too weak: one step of effort each time, and once effort is at its
 * highest one model up. What the task names itself stays.
 */
export function cascade(
  start: { model: string | null; effort: Effort | null },
  options: {
    history: readonly PastAttempt[];
    pinned: { model: boolean; effort: boolean };
    routing: Routing;
    catalog: Catalog;
  },
): Strength {
  const { history, pinned, routing, catalog } = options;
  const last = history.at(-1)?.outcome ?? null;
  const climbs = history.filter(({ outcome }) => outcome !== null && tooWeak.has(outcome)).length;
  const reasons: string[] = [];
  if (last !== null && Object.hasOwn(notItsFault, last)) {
    reasons.push(`same strength as before: the last try ended as "${last}", ${notItsFault[last]}`);
  }
  let { model, effort } = start;
  for (let climb = 0; climb < climbs; climb += 1) {
    const higher = pinned.effort || effort === null ? undefined : efforts[efforts.indexOf(effort) + 1];
    const stronger = pinned.model || model === null ? null : rung(model, { by: 1, routing, catalog });
    if (higher !== undefined) {
      reasons.push(`effort ${effort} → ${higher}: a try was too weak`);
      effort = higher;
    } else if (stronger !== null) {
      reasons.push(`model ${model} → ${stronger}: a try with effort ${effort ?? 'as set'} was too weak`);
      model = stronger;
    } else {
      reasons.push('nothing stronger to try: the task pins it, or its ladder ends');
      break;
    }
  }
  return { model, effort, reasons };
}
