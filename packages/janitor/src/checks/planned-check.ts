import type { CheckResult } from '@baton/contracts';
import type { Finding } from './check-context.ts';

/** A check to run, in its place in the order. */
export interface PlannedCheck {
  name: string;
  kind: CheckResult['kind'];
  /** False: reported only. */
  required: boolean;
  /** Set for commands: names the result in the cache. */
  key?: string;
  run: () => Promise<Finding> | Finding;
}
