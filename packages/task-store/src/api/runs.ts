import type { Verdict, WorkspaceSetup } from '@baton/contracts';
import type { NewRun } from '../model/new-run.ts';
import type { Actor } from '../model/requests.ts';
import type { Task } from '../model/task.ts';
import type { Page } from '../model/page.ts';
import type { Run, Repo, RunStatus } from '../model/run.ts';

/** Runs. */
export interface RunsApi {
  /** Creates a run with its tasks, PLANNED until `approvePlan`. What is left out has the default of a plan. @throws INVALID_INPUT, CONFLICT, DEPENDENCY_CYCLE */
  create(draft: NewRun, by: Actor): Promise<{ run: Run; tasks: Task[] }>;
  /** PLANNED→OPEN for all (or some) tasks of the run. */
  approvePlan(runId: string, options: Actor & { taskIds?: string[] }): Promise<number>;
  /** PLANNED→CANCELLED. */
  rejectPlan(runId: string, options: Actor & { taskIds?: string[] }): Promise<number>;
  get(id: string): Promise<Run | null>;
  /** By id, slug, or unique prefix of the slug. @throws NOT_FOUND, AMBIGUOUS */
  find(reference: string): Promise<Run>;
  list(filter: {
    status?: RunStatus[];
    repoId?: string;
    cursor?: string;
    limit?: number;
  }): Promise<Page<Run>>;
  pause(runId: string, by: Actor): Promise<Run>;
  /**
   * Back to work: a paused run, or one that failed before all its tasks were settled. A base that held it (`BASE_RED`, a set-up that
   * fails) is forgotten while nothing has landed, in a standing run always: the next worker pins the head of today. `keepsBase`: not
   * so, since the caller has chosen one with `amend`. @throws CONFLICT
   */
  resume(runId: string, by: Actor & { keepsBase?: boolean }): Promise<Run>;
  /**
   * Changes what a paused or failed run is carried out with, before it is resumed. Base and workspace change only while nothing has
   * landed; the base is then judged again. @throws NOT_FOUND, CONFLICT for a run that is neither paused nor failed
   */
  amend(
    runId: string,
    change: { baseCommit?: string; workspace?: WorkspaceSetup; allowRed?: string[] },
  ): Promise<Run>;
  /** Cancels all that is not settled. */
  cancel(runId: string, by: Actor): Promise<Run>;
  /** Marks a run failed before any work, e.g. when its repository was replaced by another; its tasks stay as they are. */
  fail(runId: string, by: Actor): Promise<Run>;
  /**
   * Sets what a run may spend; null: as much as it takes. What waited for money is claimable at once, and the run's history
   * records the change. @throws BUDGET_EXCEEDED for less than is spent and reserved
   */
  setBudget(runId: string, options: Actor & { capMicroUsd: number | null }): Promise<Run>;
  /** Computes the status from the tasks and stores it (done, failed, stuck, waiting, running). */
  settle(runId: string): Promise<Run>;
  repo(id: string): Promise<Repo | null>;
  /** Sets the base commit once; returns the one that is set. */
  pinBase(runId: string, baseCommit: string): Promise<string>;
  /**
   * What the run's gates say of its base, before any work (docs/spec/agents.md#base). Null: not verified yet, or not by the checks
   * and with the set-up that `checksHash` names.
   */
  baseVerdict(runId: string, checksHash?: string): Promise<Verdict | null>;
  saveBaseVerdict(runId: string, saved: { verdict: Verdict; checksHash: string }): Promise<void>;
}
