import { BatonError, type CheckResult, type ErrorCode } from '@baton/contracts';
import { redact } from '../redact.ts';
import type { CheckContext, Finding } from './check-context.ts';
import type { PlannedCheck } from './planned-check.ts';

/** This machine gave a check no place to run in. */
const ofMachine: readonly ErrorCode[] = ['WORKSPACE_FAILED', 'STATE_UNWRITABLE'];

/** What a check came to, the name of its result in the cache, and the tree that a gate made of this one. */
export interface CheckRun {
  result: CheckResult;
  key: string | null;
  wrote: string | null;
}

/**
 * Runs one check, or takes its earlier yes for the same tree. A check that breaks is a "no". An earlier "no" is asked again: what it
 * was about may lie outside of the tree and be put right.
 * @throws WORKSPACE_FAILED, STATE_UNWRITABLE when this machine gave the check no place to run in: that says nothing of the tree
 */
export async function runCheck(
  context: CheckContext,
  options: { check: PlannedCheck; cache: ((key: string) => Promise<CheckResult | null>) | undefined },
): Promise<CheckRun> {
  const { check } = options;
  const { name, kind, required } = check;
  const key = check.key ?? null;
  const started = context.clock.monotonicMs();
  const known = key === null ? null : ((await options.cache?.(key)) ?? null);
  if (known?.passed === true)
    return { result: { ...known, name, kind, required, cached: true }, key, wrote: null };

  const { wrote = null, ...finding } = await attempt(context, check);
  const durationMs = context.clock.monotonicMs() - started;
  return { result: { name, kind, required, ...finding, durationMs, cached: false }, key, wrote };
}

async function attempt(context: CheckContext, check: PlannedCheck): Promise<Finding> {
  try {
    return await check.run();
  } catch (error) {
    if (BatonError.is(error) && ofMachine.includes(error.code)) throw error;
    const said = error instanceof Error ? error.message : String(error);
    return {
      passed: false,
      reason: `could not be checked: ${redact(said, context).replace(/\s+/g, ' ').slice(0, 500)}`,
    };
  }
}
