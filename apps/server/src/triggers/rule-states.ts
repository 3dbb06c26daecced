import type { StorePart } from '@baton/task-store';
import { ruleStates, type RuleState, type TriggersFile } from '@baton/triggers';

/** What the limits of the rules count: their open tasks, and those that started within the longest of their times. */
export async function readRuleStates(
  store: StorePart<{ inbox: 'triggeredTasks' }>,
  file: TriggersFile,
  options: { now: Date },
): Promise<Record<string, RuleState>> {
  const reachMs = reachOf(file);
  if (reachMs === null) return {};
  const rules = file.rules.map((rule) => rule.name);
  return ruleStates(
    await store.inbox.triggeredTasks({ rules, since: new Date(options.now.getTime() - reachMs) }),
  );
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
