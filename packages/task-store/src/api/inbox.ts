import type { TriggerEvent, TaskDraft } from '@baton/contracts';
import type { Repo } from '../model/run.ts';
import type { RunDefaults } from '../model/requests.ts';

/** Deliveries from outside. */
export interface InboxApi {
  /**
   * Inbox row and tasks in one transaction; a redelivery answers as before and makes nothing. The standing runs of the rules
   * take their `defaults` on, and are reopened when they had ended, by a redelivery or the sweep at the latest; a paused one waits.
   */
  accept(options: {
    event: TriggerEvent;
    matches: {
      rule: string;
      repo: Repo | { location: string; host: string | null };
      target: string;
      baseCommit: string | null;
      draft: TaskDraft;
      planned: boolean;
      /** What the rule's standing run is carried out with; absent: as before, for a new one without gates or agents. */
      defaults?: RunDefaults;
    }[];
    /**
     * What limits of rules were held against: `made` of `triggeredTasks`. When these rules have made more since, nothing is accepted
     * and `overtaken` says so: decide again. A duplicate that `differs` has the id of an event with other data.
     */
    decidedOn?: { rules: readonly string[]; made: number } | null;
  }): Promise<{ duplicate: boolean; overtaken: boolean; differs: boolean; taskIds: string[] }>;
  /** Newest first; `after`: only those before this one in time. */
  deliveries(options: {
    limit: number;
    after?: string;
  }): Promise<
    { id: string; source: string; deliveryId: string; kind: string; receivedAt: Date; taskIds: string[] }[]
  >;
  /**
   * What limits of these rules count: their tasks that are not settled, or that start or started at most `reachMs` before `now`, which is
   * the time of the database; `made`: how many tasks they have made in all.
   */
  triggeredTasks(options: { rules: readonly string[]; reachMs: number }): Promise<{
    now: Date;
    made: number;
    tasks: { rule: string; createdAt: Date; notBefore: Date | null; settled: boolean }[];
  }>;
}
