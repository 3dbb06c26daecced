import type { StorePart } from '@baton/task-store';
import { ruleStates, type RuleState, type TriggersFile } from '@baton/triggers';

/** What limits are held against, all of one moment by the clock of the database, which servers share. */
export interface LimitState {
  now: Date;
  rules: Record<string, RuleState>;
  /** What the store compares when it accepts what was decided on this; null: there are no limits. */
  decidedOn: { rules: readonly string[]; made: number } | null;
}

/**
 * What the limits of the rules count: their open tasks, and those that started within the longest of their times.
 * @param options.now the time where there is no limit
 */
export async function readRuleStates(
  store: StorePart<{ inbox: 'triggeredTasks' }>,
  file: TriggersFile,
  options: { now: Date },
): Promise<LimitState> {
  const reachMs = reachOf(file);
  if (reachMs === null) return { now: options.now, rules: {}, decidedOn: null };
  const rules = file.rules.map((rule) => rule.name);
  const { now, made, tasks } = await store.inbox.triggeredTasks({ rules, reachMs });
  return { now, rules: ruleStates(tasks, now), decidedOn: { rules, made } };
}

/** How far back limits look; null: there are none. */
function reachOf(file: TriggersFile): number | null {
  const limits = file.rules.flatMap(({ rate_limit, conditions }) => [
    rate_limit?.per,
    conditions.cooldown,
    conditions.max_open === undefined ? undefined : 0,
  ]);
  const given = [file.rate_limit?.per, ...limits].filter((ms) => ms !== undefined);
  return given.length === 0 ? null : Math.max(...given);
}
