import type { CompletionSignal } from '@baton/contracts';
import type { Finding } from './check-context.ts';

/** What holds of a change, so that it says nothing of an empty one. */
const aboutChange: readonly CompletionSignal['type'][] = ['diff_within', 'llm_review', 'llm_judge'];

/**
 * A change must exist, or a signal must say what holds without one: "the agent did nothing" is not "done". What is
 * about a change explains nothing.
 */
export function diffPresent(changedPaths: readonly string[], signals: readonly CompletionSignal[]): Finding {
  const count = changedPaths.length;
  if (count > 0) return { passed: true, reason: `${count} ${count === 1 ? 'file' : 'files'} changed` };
  if (signals.some((signal) => !aboutChange.includes(signal.type)))
    return { passed: true, reason: 'nothing changed; the signals decide' };
  return { passed: false, reason: 'nothing changed, and no signal says that this is right' };
}
