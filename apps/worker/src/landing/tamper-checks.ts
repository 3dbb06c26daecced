import { tamperFlags, type TestRun } from '@baton/janitor';
import { BatonError, type CheckResult } from '@baton/contracts';
import type { LandingWork } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import type { CandidateTree } from '../verify/judge-tree.ts';

/** Name of the recorded check for tests and gate definitions that the task weakened and does not own. */
export const tamperCheckName = 'tamper';
/** The same for those that it owns. */
export const weakenedCheckName = 'weakened';

/** What of a task and its run decides what it may weaken. */
export interface TamperedWork {
  run: Pick<LandingWork['run'], 'gates'>;
  task: Pick<LandingWork['task'], 'files' | 'role'>;
}

/** A change, and whether its verdict is a yes. */
interface TamperedCandidate {
  work: TamperedWork;
  clone: string;
  candidate: CandidateTree;
  passed: boolean;
  /** Green gates that ran fewer tests than on the head. */
  runs?: readonly TestRun[];
}

/**
 * Signs of tampering never fail a verdict by themselves: they are recorded, and a person decides
 * (docs/spec/landing.md#tamper-rules). A "no" is recorded without them where they cannot be read.
 * @throws GIT_FAILED
 */
export async function tamperChecks(
  ctx: Pick<WorkerContext, 'git' | 'clock'>,
  given: TamperedCandidate,
): Promise<CheckResult[]> {
  try {
    return await readTamperChecks(ctx, given);
  } catch (error) {
    if (given.passed || !BatonError.is(error, 'GIT_FAILED')) throw error;
    return [];
  }
}

async function readTamperChecks(
  ctx: Pick<WorkerContext, 'git' | 'clock'>,
  { work, clone, candidate, runs = [] }: TamperedCandidate,
): Promise<CheckResult[]> {
  const started = ctx.clock.monotonicMs();
  const flags = await tamperFlags({
    git: ctx.git,
    clone,
    from: candidate.onto,
    to: candidate.commit,
    changes: candidate.changes,
    gates: work.run.gates,
    owned: work.task.files,
    role: work.task.role,
    runs,
  });
  const texts = (owned: boolean) => flags.filter((flag) => flag.owned === owned).map(({ text }) => text);
  const [foreign, own] = [texts(false), texts(true)];
  const durationMs = ctx.clock.monotonicMs() - started;
  const check = { kind: 'builtin', required: false, durationMs, cached: false } as const;
  const nothing = 'nothing that judges the work was weakened';
  const passed = foreign.length === 0;
  return [
    { ...check, name: tamperCheckName, passed, reason: passed ? nothing : foreign.join('; ') },
    ...(own.length === 0
      ? []
      : [{ ...check, name: weakenedCheckName, passed: false, reason: own.join('; ') }]),
  ];
}
