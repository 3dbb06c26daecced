import type { NewTask } from '@baton/contracts';
import type { TaskStatus } from '@baton/fsm-core';
import type { KnownProcesses, Explanation } from '../model/explanation.ts';
import type { ExpectedConflict } from '../model/expected-conflict.ts';
import type { StoredVerdict } from '../model/landing.ts';
import type { Task, Attempt, ListedSession } from '../model/task.ts';
import type { Page } from '../model/page.ts';
import type { StoredEvent } from '../model/event.ts';
import type { RunGraph } from '../model/run.ts';
import type { Actor, Speaker, PersonsWords } from '../model/requests.ts';

/** Tasks. */
export interface TasksApi {
  /** Adds tasks to a run, OPEN unless `planned`. @throws INVALID_INPUT, CONFLICT, NOT_FOUND, DEPENDENCY_CYCLE */
  add(runId: string, options: Actor & { drafts: readonly NewTask[]; planned?: boolean }): Promise<Task[]>;
  get(id: string): Promise<Task | null>;
  /**
   * By id, `run/key`, key (if unique among unsettled runs, newest run first; of the repository at `location` where one is given)
   * or unique id prefix/suffix ≥ 6 chars. @throws NOT_FOUND, AMBIGUOUS
   */
  find(reference: string, options?: { runId?: string; location?: string }): Promise<Task>;
  list(filter: {
    runId?: string;
    status?: TaskStatus[];
    role?: string;
    parentId?: string;
    settled?: boolean;
    /** Has all of these. */
    labels?: string[];
    /** Part of its key or title, whatever the case. */
    text?: string;
    /** What is there when the first page is read comes exactly once, whatever is added in between. */
    cursor?: string;
    limit?: number;
  }): Promise<Page<Task>>;
  dependencies(runId: string): Promise<{ taskId: string; dependsOnId: string }[]>;
  /** Tasks and dependencies of a run at one moment. @throws NOT_FOUND */
  graph(runId: string): Promise<RunGraph>;
  attempts(taskId: string): Promise<Attempt[]>;
  /** Open or closed attempts by run; newest last. */
  listAttempts(filter: {
    runId?: string;
    sessionId?: string;
    open?: boolean;
    /** Only those after this one, oldest first. */
    after?: string;
    limit?: number;
  }): Promise<Attempt[]>;
  sessions(filter: {
    runId?: string;
    workerId?: string;
    host?: string;
    live?: boolean;
    /** Only those after this one, oldest first. */
    after?: string;
    limit?: number;
  }): Promise<ListedSession[]>;
  history(entity: { machine?: StoredEvent['machine']; entityId: string }): Promise<StoredEvent[]>;
  /** Why a task does not move, and who or what moves it next; `known` sharpens what heartbeats say of workers. */
  explain(taskId: string, known?: KnownProcesses): Promise<Explanation>;
  /** What living workers found of work in progress that would conflict, one entry for each task; of a run or a task. */
  expectedConflicts(filter: { runId?: string; taskId?: string }): Promise<ExpectedConflict[]>;
  cancel(taskId: string, by: Actor): Promise<Task>;
  /** FAILED→OPEN: grants one try; reopens the run. */
  retry(taskId: string, by: Speaker): Promise<Task>;
  unblock(taskId: string, by: Speaker): Promise<Task>;
  /** What people said to the agents of a task when they had it tried again, oldest first. */
  words(taskId: string): Promise<PersonsWords[]>;
  verdicts(taskId: string): Promise<StoredVerdict[]>;
  /** What has landed, in this order; with `newest` the last one alone. */
  landings(filter: {
    runId?: string;
    taskId?: string;
    newest?: true;
  }): Promise<{ taskId: string; attemptId: string; commit: string; tree: string; confirmedAt: Date }[]>;
}
