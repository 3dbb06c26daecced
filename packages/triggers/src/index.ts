export type { Schedule } from './cron.ts';
export { draftOfRule, isTrusted } from './draft.ts';
export { evaluate, type Evaluation, type RuleState, type TriggerState } from './evaluate.ts';
export { parseExactJson } from './exact-json.ts';
export { loadTriggers } from './load-triggers.ts';
export { parseTriggers, type FileIssue } from './parse-triggers.ts';
export { ruleStates, type TriggeredTask } from './rule-states.ts';
export { triggerRule, triggersFile, type ScheduleRule, type TriggerRule, type TriggersFile } from './rule.ts';
export { dueTicks, nextTick, tickEvent, type DueTicks } from './sources/schedule.ts';
export {
  isEventKind,
  receiveWebhook,
  signWebhook,
  webhookEvent,
  type WebhookOptions,
  type WebhookRequest,
} from './sources/webhook.ts';
