import { gate, taskDraft, usd } from '@baton/contracts';
import { z } from 'zod';

const key = z.string().min(1);
const actor = z.strictObject({ run: key.optional() });
const onTask = z.strictObject({ task: key });

/** A task as a case writes it: everything but its key has a default. */
const draft = z.strictObject({ ...taskDraft.partial().shape, key });

/** Facts that a holder reports; who holds the task is filled in (docs/spec/kernel.md#coupled-steps). */
const told = z.looseObject({ fact: key, task: key, children: z.array(draft).optional() });

/** One step: one call of the store, or a look away from the clock. */
export const step = z.union([
  z.strictObject({
    run: z.strictObject({
      name: key.default('run'),
      planned: z.boolean().default(false).describe('true: nobody has approved it'),
      budget_usd: usd.optional(),
      max_agents: z.number().int().optional(),
      batch_size: z.number().int().default(3),
      gates: z.array(gate).default([]),
      tasks: z.array(draft),
    }),
  }),
  z.strictObject({ add: z.strictObject({ run: key.optional(), tasks: z.array(draft) }) }),
  z.strictObject({ approve_plan: actor }),
  z.strictObject({
    worker: z.strictObject({
      id: key.default('w1'),
      host: key.default('here'),
      labels: z.array(key).default([]),
      run: key.optional().describe('narrowed to this run, as `baton run` is'),
      status: z.enum(['online', 'draining', 'offline']).default('online'),
    }),
  }),
  z.strictObject({ ended: z.strictObject({ worker: key }) }),
  z.strictObject({ withdraw: z.strictObject({ worker: key.default('w1'), agent: key, reason: key }) }),
  z.strictObject({ head_at: z.strictObject({ task: key, host: key }) }),
  z.strictObject({
    claim: z.strictObject({
      task: key.optional(),
      run: key.optional(),
      max: z.number().default(1),
      worker: key.default('w1'),
    }),
  }),
  z.strictObject({ launch: onTask }),
  z.strictObject({ ready: onTask }),
  z.strictObject({ done: onTask }),
  z.strictObject({ over: onTask }),
  z.strictObject({ died: onTask }),
  z.strictObject({ tell: told }),
  z.strictObject({ lane: z.strictObject({ worker: key.default('w1'), run: key.optional() }) }),
  z.strictObject({ take: z.strictObject({ run: key.optional() }) }),
  z.strictObject({ land: onTask }),
  z.strictObject({ fails: z.strictObject({ task: key, text: z.string(), worker: key.default('w1') }) }),
  z.strictObject({
    lane_waits: z.strictObject({
      text: z.string(),
      cause: z
        .enum([
          'checkout_dirty',
          'checkout_blocked',
          'checkout_hidden',
          'target_in_use',
          'target_moved',
          'landing_failed',
        ])
        .default('checkout_dirty'),
    }),
  }),
  z.strictObject({ usage: z.strictObject({ task: key, usd }) }),
  z.strictObject({ pause: actor.extend({ reason: z.string().optional() }) }),
  z.strictObject({ resume: actor }),
  z.strictObject({ fail_run: actor }),
  z.strictObject({ cancel: onTask }),
  z.strictObject({ retry: onTask }),
  z.strictObject({ decide: z.strictObject({ task: key, approve: z.boolean() }) }),
  z.strictObject({ sweep: z.strictObject({}) }),
  z.strictObject({ sequence: z.strictObject({}) }),
  z.strictObject({ unsequenced: onTask }),
  z.strictObject({
    age: z.strictObject({ what: z.enum(['leases', 'lanes', 'back_offs', 'wanted_paths', 'heartbeats']) }),
  }),
]);
export type Step = z.output<typeof step>;

/** What the explanation must say; only what is given is compared. */
const expectation = z.strictObject({
  cause: key,
  also: z.array(key).optional().describe('all further causes, in order'),
  owner: z.string().optional(),
  text: z.string().optional().describe('must stand in the text'),
  until: z.enum(['known', 'unknown']).optional(),
  unblock: z.string().nullable().optional().describe('must stand in the advice; null: there is none'),
});

/** One situation: how a real store gets there, which task is asked about, and what must come out. */
export const explainCase = z.strictObject({
  name: z.string().min(1),
  steps: z.array(step).min(1),
  ask: key,
  processes: z
    .strictObject({ there: z.array(key).default([]), gone: z.array(key).default([]) })
    .optional()
    .describe('what the asker saw of the processes of its own host: only then is the store asked alone'),
  expect: expectation,
});
export type ExplainCase = z.output<typeof explainCase>;

/** A file of cases. */
export const caseFile = z.array(explainCase).min(1);
