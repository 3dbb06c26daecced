import { BatonError, triggerEvent, type TaskDraft, type TriggerEvent } from '@baton/contracts';
import { check, triggerState } from './checked.ts';
import { draftOfRule, isTrusted } from './draft.ts';
import { lookup } from './lookup.ts';
import { matches } from './patterns.ts';
import { freeFrom } from './rate-limit.ts';
import type { TriggerRule, TriggersFile } from './rule.ts';

/** What a rule did before: how many of its tasks are not settled, and when its tasks started or will start. */
export interface RuleState {
  openTasks: number;
  startsAt: readonly Date[];
}

/** What besides rule and event decides. */
export interface TriggerState {
  now: Date;
  /** By name of rule; a rule without an entry has not fired yet. */
  rules: Readonly<Record<string, RuleState>>;
}

/** What a rule makes of an event, and why. */
export interface Evaluation {
  rule: string;
  fires: boolean;
  /** For a rule that fires: what matched; else everything that keeps it from firing. */
  why: string[];
  draft?: TaskDraft;
  /** Whether a person must approve the task first. */
  planned?: boolean;
  repo?: string;
  target?: string;
}

/**
 * Holds an event against every rule. The same function serves the server and `baton triggers test`. A rule over a rate
 * limit fires all the same: its task starts later, when there is room again.
 * @throws INVALID_INPUT for what is no event or no state, and for two rules of one name
 */
export function evaluate(file: TriggersFile, event: TriggerEvent, state: TriggerState): Evaluation[] {
  check(triggerEvent, event, 'The event');
  check(triggerState, state, 'What the rules did before');
  refuseTwins(file.rules);
  const all = Object.values(state.rules).flatMap(({ startsAt }) => startsAt);
  return file.rules.map((rule) => {
    const own = Object.hasOwn(state.rules, rule.name) ? state.rules[rule.name] : undefined;
    const { startsAt, openTasks } = own ?? { startsAt: [], openTasks: 0 };
    const against = [
      ...filtersAgainst(rule, event),
      ...conditionsAgainst(rule, { event, openTasks, startsAt, now: state.now }),
    ];
    if (against.length > 0) return { rule: rule.name, fires: false, why: against };
    const ofRule = freeFrom(startsAt, { limit: rule.rate_limit, now: state.now });
    const start = freeFrom(all, { limit: file.rate_limit, now: ofRule });
    all.push(start);
    return fire(rule, { event, start: start > state.now ? start : null });
  });
}

/** Rules of several files put together: two of one name would make one task, and share what holds them back. */
function refuseTwins(rules: readonly TriggerRule[]): void {
  const names = rules.map(({ name }) => name);
  if (new Set(names).size === names.length) return;
  const twice = names.find((name, at) => names.indexOf(name) !== at) ?? '';
  throw new BatonError('INVALID_INPUT', `Two rules are called "${twice}".`, {
    at: twice,
    fix: 'Give each rule a name of its own, also across files.',
  });
}

function fire(rule: TriggerRule, options: { event: TriggerEvent; start: Date | null }): Evaluation {
  const { event, start } = options;
  const trusted = isTrusted(rule, event);
  const why = [`${event.kind} of ${event.source} matches all filters and conditions`];
  if (!trusted) why.push('the event is not trusted: its text is fenced and a person approves the task first');
  if (start !== null) why.push(`over the rate limit: starts at ${start.toISOString()}`);
  return {
    rule: rule.name,
    fires: true,
    why,
    draft: draftOfRule(rule, event, start === null ? {} : { notBefore: start }),
    planned: !trusted || rule.plan === 'planned',
    ...(rule.repo === undefined ? {} : { repo: rule.repo }),
    ...(rule.target === undefined ? {} : { target: rule.target }),
  };
}

function filtersAgainst(rule: TriggerRule, event: TriggerEvent): string[] {
  if (!rule.enabled) return ['the rule is not enabled'];
  if (rule.source !== event.source)
    return [`the rule is for ${rule.source}, the event is of ${event.source}`];
  if (rule.source === 'schedule') {
    return lookup(event.data, 'rule') === rule.name ? [] : ['the tick is of another rule'];
  }
  const { kind, senders, fields } = rule.filters;
  const against: string[] = [];
  if (kind !== undefined && !matches(event.kind, kind))
    against.push(`kind "${event.kind}" does not match ${list(kind)}`);
  if (senders !== undefined && !matches(event.sender, senders)) {
    against.push(
      `sender ${event.sender === null ? 'unknown' : `"${event.sender}"`} does not match ${list(senders)}`,
    );
  }
  for (const [path, patterns] of Object.entries(fields)) {
    const value = lookup(event.data, path);
    if (matches(value, patterns)) continue;
    against.push(
      `field ${path} ${value === undefined ? 'is missing' : 'does not match'}; wanted: ${list(patterns)}`,
    );
  }
  return against;
}

function conditionsAgainst(
  rule: TriggerRule,
  options: RuleState & { event: TriggerEvent; now: Date },
): string[] {
  const { event, openTasks, startsAt, now } = options;
  const { cooldown, max_open: maxOpen } = rule.conditions;
  const against: string[] = [];
  const last = startsAt.reduce((latest, at) => Math.max(latest, at.getTime()), Number.NEGATIVE_INFINITY);
  if (cooldown !== undefined && now.getTime() < last + cooldown) {
    against.push(`cooling down until ${new Date(last + cooldown).toISOString()}`);
  }
  if (maxOpen !== undefined && openTasks >= maxOpen)
    against.push(`${openTasks} of its tasks are not settled, ${maxOpen} may be`);
  const depth = event.causedBy?.depth ?? 0;
  if (rule.source === 'webhook' && depth > rule.conditions.max_depth) {
    against.push(
      `a loop: run ${event.causedBy?.runId} caused it, number ${depth} in a chain that may be ${rule.conditions.max_depth} long`,
    );
  }
  return against;
}

function list(patterns: readonly string[]): string {
  return patterns.map((pattern) => `"${pattern}"`).join(' or ');
}
