import type { CheckResult } from '@baton/contracts';
import type { Finding } from './check-context.ts';

/** A check that shall run, in its place in the order. */
export interface PlannedCheck {
  name: string;
  kind: CheckResult['kind'];
  /** False: reported only. */
  required: boolean;
  /** Set for commands: names the result in the cache. */
  key?: string;
  /** True for commands: they may alter the worktree, which is put back afterwards. */
  runsCommand?: boolean;
  run: () => Promise<Finding> | Finding;
}
