import {
  draftOfStep,
  draftTask,
  newTask,
  triggerEvent,
  type TaskDraft,
  type TriggerEvent,
} from '@baton/contracts';
import { createHash } from 'node:crypto';
import { check } from './checked.ts';
import { asText } from './lookup.ts';
import { matches } from './patterns.ts';
import type { TriggerRule } from './rule.ts';
import { fill } from './template.ts';
import { clean, cleanLine, fence } from './untrusted.ts';

const maxValueLength = 20_000;
const maxGoalLength = 100_000;

/** Whether a rule trusts an event: its source does, or the rule lists its sender. */
export function isTrusted(rule: TriggerRule, event: TriggerEvent): boolean {
  check(triggerEvent, event, 'The event');
  if (event.trusted) return true;
  const senders = rule.source === 'webhook' ? rule.trusted_senders : undefined;
  return senders !== undefined && event.sender !== null && matches(event.sender, senders);
}

/**
 * The task that a rule makes of an event. Fields of the event go into title and goal only; those of an untrusted event are
 * put below the goal, fenced, and the goal refers to them by name. Key and idempotency key follow from rule and delivery, so
 * that the same delivery always gives the same task.
 *
 * @param options.notBefore when the task may start, for a rule over its rate limit
 * @throws INVALID_INPUT for what is no event
 */
export function draftOfRule(
  rule: TriggerRule,
  event: TriggerEvent,
  options: { notBefore?: Date } = {},
): TaskDraft {
  check(triggerEvent, event, 'The event');
  const { task } = rule;
  const trusted = isTrusted(rule, event);
  const digest = createHash('sha256')
    .update(JSON.stringify([rule.name, event.source, event.deliveryId]))
    .digest('hex');
  const title = renderTitle(task.title, event) || `Trigger ${rule.name}`;
  const given = newTask.parse({
    ...draftOfStep(task),
    key: `${(task.key ?? rule.name).slice(0, 51)}-${digest.slice(0, 12)}`,
    title,
    goal:
      task.goal === undefined && trusted ? title : renderGoal(task.goal ?? task.title, { event, trusted }),
    notBefore: options.notBefore?.toISOString() ?? null,
    idempotencyKey: `trigger:${digest}`,
  });
  return draftTask(given, {
    kind: 'trigger',
    by: rule.name,
    trusted,
    deliveryId: event.deliveryId,
    depth: event.causedBy?.depth ?? 0,
  });
}

function renderTitle(template: string, event: TriggerEvent): string {
  const text = fill(template, { event, render: (_, value) => cleanLine(asText(value), { maxLength: 120 }) });
  return cleanLine(text, { maxLength: 480 });
}

function renderGoal(template: string, options: { event: TriggerEvent; trusted: boolean }): string {
  const { event, trusted } = options;
  const outside = new Map<string, string>();
  const goal = fill(template, {
    event,
    render(name, value) {
      const text = clean(asText(value), { maxLength: maxValueLength });
      if (trusted) return text;
      outside.set(name, text);
      return `[${name}]`;
    },
  });
  if (outside.size === 0) return clip(goal, maxGoalLength);
  return clip(`${goal}\n\n${fence(shorten(outside, maxGoalLength - goal.length - 2_000))}\n`, maxGoalLength);
}

/** Cuts values before they are fenced: a fence that is cut off at its end would be none. */
function shorten(values: ReadonlyMap<string, string>, room: number): Map<string, string> {
  const each = Math.max(0, Math.floor(room / values.size) - 300);
  return new Map([...values].map(([name, value]) => [name, clean(value, { maxLength: each })]));
}

function clip(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : text.slice(0, maxLength).toWellFormed();
}
