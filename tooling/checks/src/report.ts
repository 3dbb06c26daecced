import type { Rule } from './rule.ts';

/**
 * The rules with these names, all of them when none is named.
 *
 * @throws Error naming the known rules when a name is unknown
 */
export function chosen(rules: readonly Rule[], names: readonly string[]): readonly Rule[] {
  const unknown = names.filter((name) => !rules.some((rule) => rule.name === name));
  if (unknown.length > 0) {
    const known = rules.map((rule) => rule.name).join(', ');
    throw new Error(`There is no rule "${unknown.join('", "')}". Rules: ${known}.`);
  }
  return names.length === 0 ? rules : rules.filter((rule) => names.includes(rule.name));
}

/**
 * Runs the rules and prints what each found when it has ended; returns the exit code. Two run at a time, taken from both ends of the
 * list; one after the other when they put something right, so that none looks at files that another one changes.
 */
export async function report(rules: readonly Rule[], { fix }: { fix: boolean }): Promise<number> {
  const waiting = [...rules];
  let failed = 0;
  const lane = async (next: () => Rule | undefined) => {
    for (let rule = next(); rule !== undefined; rule = next()) if (!(await tell(rule, { fix }))) failed += 1;
  };
  const lanes = [lane(() => waiting.shift())];
  if (!fix) lanes.push(lane(() => waiting.pop()));
  await Promise.all(lanes);
  console.log(`\n${rules.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** Runs one rule and prints what it found, all at once. */
async function tell(rule: Rule, { fix }: { fix: boolean }): Promise<boolean> {
  const startedMs = performance.now();
  const fixed = fix ? ((await rule.fix?.()) ?? []) : [];
  const problems = await outcome(rule);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const mark = problems.length === 0 ? '✓' : '✗';
  const lines = [
    ...fixed.map((file) => `  fixed ${file}`),
    `${mark} ${rule.name.padEnd(12)} ${seconds.padStart(5)} s  ${rule.what}`,
    ...problems.map((problem) => `    ${problem}`),
  ];
  console.log(lines.join('\n'));
  return problems.length === 0;
}

/** A rule that breaks has not held. */
async function outcome(rule: Rule): Promise<readonly string[]> {
  try {
    return await rule.check();
  } catch (error) {
    return [error instanceof Error ? (error.stack ?? error.message) : String(error)];
  }
}
