import type { Verdict } from '@baton/contracts';

const maxLines = 20;
const maxCharacters = 2_000;

/** The reasons of a "no", each with the end of what the check printed: the next attempt's agent has nothing else to go by. Pure. */
export function rejectionReasons(verdict: Verdict): string[] {
  const failed = verdict.results.filter((result) => result.required && !result.passed);
  return verdict.reasons.map((reason) => {
    const output = failed.find((result) => reason.includes(result.reason))?.output?.trimEnd();
    return output ? `${reason}\n${tail(output)}` : reason;
  });
}

function tail(output: string): string {
  const lines = output.split('\n');
  const kept = lines.slice(-maxLines).join('\n').slice(-maxCharacters);
  return lines.length > maxLines || kept.length < output.length ? `[…]\n${kept}` : kept;
}
