import {
  BatonError,
  agentDefinition,
  draftTask,
  keyName,
  microUsd,
  newTask,
  parseInput,
  runSlug,
  settledGates,
  settledSetup,
  type Ids,
  type NewTask,
  type TaskDraft,
} from '@baton/contracts';
import { z } from 'zod';
import type { Actor, RunDraft } from './requests.ts';

/** Where the work of a run is that no repository is for: workers of one's own take it. */
const noRepository = { location: 'none', host: null };

const text = z.string().min(1);

/** A run as somebody hands it in: only its name and its tasks must be given. */
export const newRun = z.strictObject({
  name: text.max(200),
  slug: text.max(200).optional(),
  repo: z
    .strictObject({ location: text.max(4_096), host: text.max(255).nullable().default(null) })
    .default(noRepository),
  target: text.max(255).optional(),
  baseCommit: text.nullable().default(null),
  batchSize: z.number().int().min(1).max(3).default(3),
  maxAgents: z.number().int().min(1).nullable().default(null),
  trust: z.enum(['observe', 'enforce']).default('observe'),
  review: z.boolean().default(false),
  budgetMicroUsd: microUsd.nullable().default(null),
  gates: settledGates.default([]),
  allowRed: z.array(z.string()).default([]),
  workspace: settledSetup.nullable().default(null),
  agents: z.record(keyName, agentDefinition).default({}),
  defaultAgent: z.union([keyName, agentDefinition]).nullable().default(null),
  routing: z.unknown().default(null),
  plan: z.unknown().default(null),
  tasks: z.array(newTask),
  createdBy: text.optional(),
});
export type NewRun = z.input<typeof newRun>;

/** Completes a run. @throws INVALID_INPUT naming what is wrong, unknown keys included */
export function completeRun(given: NewRun, { by, ids }: { by: Actor; ids: Ids }): RunDraft {
  const run = parseInput(newRun, given, { what: 'The run' });
  const slug = run.slug ?? runSlug(run.name, ids);
  return {
    ...run,
    slug,
    target: run.target ?? `baton/${slug}`,
    createdBy: run.createdBy ?? by.actor,
    tasks: run.tasks.map((task) => draftTask(task, sourceOf(by))),
  };
}

const newTasks = z.array(newTask);

/** Completes tasks. @throws INVALID_INPUT naming what is wrong, unknown keys included */
export function completeTasks(given: readonly NewTask[], by: Actor): TaskDraft[] {
  const tasks = parseInput(newTasks, given, { what: 'A task' });
  return tasks.map((task) => draftTask(task, sourceOf(by)));
}

/** Who hands work in to the store itself is trusted: text from outside says of itself that it is not. */
const sourceOf = ({ actor }: Actor) => ({ kind: 'api', by: actor, trusted: true }) as const;

/** For callers that no type checker saw. @throws INVALID_INPUT */
export function checkActor(by: Partial<Actor> | undefined): void {
  if (typeof by?.actor === 'string' && by.actor !== '') return;
  throw new BatonError('INVALID_INPUT', '`actor` is missing: name who does this.', {
    at: 'actor',
    fix: 'Say who acts and why, such as { actor: "operator:ada", reason: "first try" }.',
  });
}
