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

/** Runs the rules one after the other and prints what each found; returns the exit code. */
export async function report(rules: readonly Rule[], { fix }: { fix: boolean }): Promise<number> {
  let failed = 0;
  for (const rule of rules) {
    const startedMs = performance.now();
    if (fix) for (const file of (await rule.fix?.()) ?? []) console.log(`  fixed ${file}`);
    const problems = await outcome(rule);
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    if (problems.length > 0) failed += 1;
    console.log(
      `${problems.length === 0 ? '✓' : '✗'} ${rule.name.padEnd(12)} ${seconds.padStart(5)} s  ${rule.what}`,
    );
    for (const problem of problems) console.log(`    ${problem}`);
  }
  console.log(`\n${rules.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** A rule that breaks has not held. */
async function outcome(rule: Rule): Promise<readonly string[]> {
  try {
    return await rule.check();
  } catch (error) {
    return [error instanceof Error ? (error.stack ?? error.message) : String(error)];
  }
}
