import type { CheckResult } from '@baton/contracts';
import { redact } from '../redact.ts';
import { gitText } from '../run-git.ts';
import type { CheckContext, Finding } from './check-context.ts';
import type { PlannedCheck } from './planned-check.ts';

/**
 * Runs one check, or takes its earlier result for the same tree. A check that breaks is a "no". Between two commands tracked files are
 * put back: a gate that rewrites them must not make the next gate's yes one for another tree.
 */
export async function runCheck(
  context: CheckContext,
  options: {
    check: PlannedCheck;
    cache: ((key: string) => Promise<CheckResult | null>) | undefined;
    /** A command ran in the worktree before. */
    used: boolean;
  },
): Promise<{ result: CheckResult; key: string | null }> {
  const { check } = options;
  const { name, kind, required } = check;
  const key = check.key ?? null;
  const started = context.clock.monotonicMs();
  const known = key === null ? null : ((await options.cache?.(key)) ?? null);
  if (known !== null) return { result: { ...known, name, kind, required, cached: true }, key };

  const finding = await attempt(context, { check, used: options.used });
  const durationMs = context.clock.monotonicMs() - started;
  return { result: { name, kind, required, ...finding, durationMs, cached: false }, key };
}

async function attempt(
  context: CheckContext,
  { check, used }: { check: PlannedCheck; used: boolean },
): Promise<Finding> {
  try {
    if (check.runsCommand === true && used && context.worktree !== null)
      await gitText(context.git, ['reset', '--quiet', '--hard', context.candidateCommit], {
        cwd: context.worktree,
      });
    return await check.run();
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return {
      passed: false,
      reason: `could not be checked: ${redact(said, context).replace(/\s+/g, ' ').slice(0, 500)}`,
    };
  }
}
