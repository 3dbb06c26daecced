/** Options of `baton run`. */
export interface RunOptions {
  repo?: string;
  target?: string;
  agent?: string;
  /** Agents at work at once; the number of cores when absent. */
  capacity?: number;
  allowRed?: string[];
  maxRetries?: number;
  /** Of steps that name none. */
  model?: string;
  effort?: 'low' | 'medium' | 'high';
  /** In micro-dollars: of the run, and of every step. */
  budget?: number;
  maxCost?: number;
  review?: boolean;
  pullRequests?: boolean;
  /** True: the newest unfinished run. */
  resume?: string | true;
  /** With `resume`: put a target that was deleted or moved back on what had landed. */
  restoreTarget?: boolean;
  dryRun?: boolean;
  yes?: boolean;
}
