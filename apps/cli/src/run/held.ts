import { errorCodes, type ErrorCode } from '@baton/contracts';
import { carryCommand, type Run } from '@baton/task-store';

import { reasonParts } from '../terminal/reason-text.ts';

/** Why a worker lets nothing more of a run begin until a person has put it right. */
export interface Held {
  /** An error code; null: no agent is there that could be started. */
  code: ErrorCode | null;
  /** What was found, in words. */
  text: string;
  /** There is nothing to put right: a provider takes work again by itself. */
  passes?: true;
}

/** How a worker begins the reason when no agent that is left can be started. */
const noAgent = 'AGENT_UNAVAILABLE';
/** And when all of it waits for providers. */
const parked = 'PROVIDER_PARKED';

/**
 * What holds a run: a red base, a set-up that fails, a target that was moved, an agent that is not logged in. Null for
 * a run that a person paused, or that moves. Pure.
 */
export function heldBy({ status, statusReason }: Pick<Run, 'status' | 'statusReason'>): Held | null {
  if (status !== 'paused' && status !== 'failed') return null;
  const [, code = '', text = ''] = /^([A-Z_]+): ([^]*)$/.exec(statusReason ?? '') ?? [];
  if (code === noAgent) return { code: null, text };
  if (code === parked) return { code: null, text, passes: true };
  return code in errorCodes ? { code: code as ErrorCode, text } : null;
}

/** Names of the gates that were found red on the base; the first is what a hint names. */
export function redGatesOf({ text }: Held, gates: Run['gates']): string[] {
  return gates
    .map(({ name }) => name)
    .filter((name) => (text.split('\n')[0] ?? '').includes(`gate ${name}:`));
}

/** What a person does about it, as a sentence with commands that work as they are typed. */
export function wayOut(held: Held, run: Pick<Run, 'slug' | 'gates' | 'standing' | 'status'>): string {
  const resume = carryCommand(run);
  if (held.code === 'REPO_CHANGED')
    return `Put the former repository back, then carry the run on with \`${resume}\`; or give it up with \`baton cancel ${run.slug}\`.`;
  if (held.passes)
    return `Nothing is to be put right. Once the provider takes work again, carry the run on with \`${resume}\`, which asks it again.`;
  if (held.code === 'MERGED_RED')
    return `${reasonParts(held.text).fix ?? 'Make the target pass.'} Then carry the run on with \`${resume}\`, which closes the task.`;
  if (held.code !== 'BASE_RED') return `Put it right, then carry the run on with \`${resume}\`.`;
  const first = (reasonParts(held.text).fix ?? 'Make it pass, and commit that').replace(/\.$/, '');
  const mend = `${first}; then carry the run on with \`${resume}\`.`;
  if (run.standing) return mend;
  const names = redGatesOf(held, run.gates).join(' ') || 'NAME';
  return `${mend} Or take it as it is with \`${resume} --allow-red ${names}\`.`;
}
