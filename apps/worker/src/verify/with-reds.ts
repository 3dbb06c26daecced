import type { CheckResult, Verdict } from '@baton/contracts';
import type { GateMemory } from '../context/gate-memory.ts';

/** A verdict with other results of gates, and its reasons with them. Pure. */
export function withResults(verdict: Verdict, newestOf: (result: CheckResult) => CheckResult): Verdict {
  const results = verdict.results.map((result) => (result.kind === 'gate' ? newestOf(result) : result));
  const texts = new Map(verdict.results.map((result, at) => [reasonOf(result), results[at]]));
  const reasons = verdict.reasons.map((reason) => {
    const newest = texts.get(reason);
    return newest === undefined ? reason : reasonOf(newest);
  });
  return { ...verdict, results, reasons };
}

/** What a red of a gate is among the reasons of a verdict. */
const reasonOf = ({ kind, name, reason }: CheckResult): string => `${kind} ${name}: ${reason}.`;

/** A verdict that says how often gates were red on its tree: reds of it are counted, and a green after a red says so. */
export function withReds(
  verdict: Verdict,
  memory: GateMemory,
  keyOf: (result: CheckResult) => string | null,
): Verdict {
  return withResults(verdict, (result) => {
    const key = result.cached ? null : keyOf(result);
    if (key === null) return result;
    if (!result.passed) memory.countRed(key);
    const reds = memory.reds(key);
    return reds === 0 ? result : { ...result, reds, reason: `${result.reason}${redsText(result, reds)}` };
  });
}

function redsText({ passed }: CheckResult, reds: number): string {
  if (passed) return `; it was red ${reds === 1 ? 'once' : `${reds} times`} before on the same tree`;
  return reds === 1 ? '' : `, red ${reds} times on the same tree`;
}
