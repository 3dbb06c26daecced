import { branch, duration, keyName, planStep, repoPlace } from '@baton/contracts';
import { z } from 'zod';
import { scheduleProblem } from './cron.ts';
import { templateProblem } from './template.ts';

const pattern = z.string().min(1).max(200);
const patterns = z.union([pattern.transform((one) => [one]), z.array(pattern).min(1).max(50)]);
/** What no kind of an event holds, as `kind` of a webhook reads it, and no sign of a pattern is. */
const notInKinds = /[^A-Za-z0-9_.*?{}(),|!\\["\]+@^$-]/;
/** Folders of a pattern that may be none. */
const noFolders = /^\.\/|\*\*\/|\/\*\*/g;
const kindPatterns = patterns.superRefine((list, context) => {
  for (const one of list) {
    const [sign] = notInKinds.exec(one.replace(noFolders, '')) ?? [];
    if (sign === undefined) continue;
    const message = `"${one}" matches no kind: kinds hold letters, digits, "_", "." and "-", and this has "${sign}"`;
    context.addIssue({ code: 'custom', message });
  }
});
const rateLimit = z.strictObject({
  max: z.number().int().min(1).max(10_000).describe('tasks'),
  per: duration.describe('within this time; what is over the limit starts later, nothing is dropped'),
});

const template = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .superRefine((text, context) => {
      const problem = templateProblem(text);
      if (problem !== null) context.addIssue({ code: 'custom', message: problem });
    });

/** What a rule makes of an event: the keys of a plan's step; only title and goal may hold fields of the event. */
const taskTemplate = planStep
  .omit({ depends_on: true, not_before: true, files_strict: true })
  .extend({
    key: keyName.optional().describe('first part of the name of its tasks; default: the name of the rule'),
    title: template(500).describe('may hold {{event.data.path}}'),
    goal: template(50_000).optional().describe('may hold {{event.data.path}}; default: the title'),
  })
  .superRefine((task, context) => {
    for (const path of strayTemplates(task)) {
      const message =
        'fields of an event may stand in title and goal only: text from outside never becomes a path or a command';
      context.addIssue({ code: 'custom', path, message });
    }
  });

const common = {
  name: keyName.describe('unique; names the standing run of its tasks'),
  enabled: z.boolean().default(true),
  repo: repoPlace.optional().describe('path or URL; default: the repository this file lies in'),
  target: branch.optional().describe('branch that work lands on; default: that of the repository'),
  plan: z
    .enum(['approve', 'planned'])
    .default('approve')
    .describe(
      'approve: tasks start by themselves; planned: a person approves each. Untrusted events: always planned',
    ),
  rate_limit: rateLimit.optional().describe('how many tasks of this rule may start'),
  task: taskTemplate,
};

const conditions = {
  cooldown: duration.optional().describe('no second task within this time'),
  max_open: z
    .number()
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .describe('no further task while so many are not settled'),
};

const webhookRule = z.strictObject({
  ...common,
  source: z.literal('webhook').describe('a signed request, see Standard Webhooks'),
  filters: z
    .strictObject({
      kind: kindPatterns.optional().describe('kind of the event: the "type" of its body, else "webhook"'),
      senders: patterns.optional().describe('who caused it: the "sender" of its body'),
      fields: z
        .record(z.string().min(1).max(200), patterns)
        .default({})
        .describe('dotted path in the body: patterns'),
    })
    .default({ fields: {} })
    .describe('all must match'),
  trusted_senders: patterns
    .optional()
    .describe('events of these senders are trusted: not fenced, not forced to planned'),
  conditions: z
    .strictObject({
      ...conditions,
      max_depth: z
        .number()
        .int()
        .min(0)
        .max(20)
        .default(3)
        .describe("how long a chain of Baton's own runs may get"),
    })
    .default({ max_depth: 3 }),
});

const scheduleRule = z.strictObject({
  ...common,
  source: z.literal('schedule').describe('a clock'),
  schedule: z
    .strictObject({
      cron: z.string().max(100).describe('five fields: minute, hour, day of month, month, day of week'),
      timezone: z.string().max(100).default('UTC').describe('IANA name, e.g. Europe/Berlin'),
      misfire: z
        .enum(['skip', 'once', 'all'])
        .default('once')
        .describe('times that passed while Baton was off: leave out, make up for one, make up for all'),
    })
    .superRefine((schedule, context) => {
      const problem = scheduleProblem(schedule);
      if (problem !== null)
        context.addIssue({ code: 'custom', path: [problem.key], message: problem.message });
    }),
  conditions: z.strictObject(conditions).default({}),
});

/** One rule of `triggers.yaml`: which events become which task. */
export const triggerRule = z.discriminatedUnion('source', [webhookRule, scheduleRule]);
export type TriggerRule = z.output<typeof triggerRule>;
/** A rule that a clock fires. */
export type ScheduleRule = Extract<TriggerRule, { source: 'schedule' }>;

/** `triggers.yaml`. Every key is listed here; an unknown one is refused by name. */
export const triggersFile = z.strictObject({
  rate_limit: rateLimit.optional().describe('how many tasks of all rules together may start'),
  rules: z
    .array(triggerRule)
    .max(500)
    .superRefine((rules, context) => {
      const seen = new Set<string>();
      for (const [index, { name }] of rules.entries()) {
        if (seen.has(name)) {
          context.addIssue({
            code: 'custom',
            path: [index, 'name'],
            message: `a second rule is called "${name}"`,
          });
        }
        seen.add(name);
      }
    }),
});
export type TriggersFile = z.output<typeof triggersFile>;

function strayTemplates(task: object): (string | number)[][] {
  const found: (string | number)[][] = [];
  const visit = (value: unknown, path: (string | number)[]): void => {
    if (typeof value === 'string' && value.includes('{{')) found.push(path);
    if (Array.isArray(value)) value.forEach((element, index) => visit(element, [...path, index]));
    else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) visit(inner, [...path, key]);
    }
  };
  for (const [key, value] of Object.entries(task)) if (key !== 'title' && key !== 'goal') visit(value, [key]);
  return found;
}
