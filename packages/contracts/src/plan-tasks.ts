import { z } from 'zod';
import { BatonError } from './error.ts';
import { findCycle } from './find-cycle.ts';
import { history, type History, type Plan, type PlanStep } from './plan.ts';
import { draftTask, newTask, type NewTask, type TaskDraft, type TaskSource } from './task.ts';

/** A step with its key made and the path of its place in the plan, for messages. */
interface PlacedStep {
  key: string;
  step: PlanStep;
  stage: string;
  path: readonly (string | number)[];
}

/**
 * Turns a parsed plan into the tasks of a run, in plan order: keys made unique names, titles in `depends_on` resolved,
 * stages expanded into dependencies.
 * @throws PLAN_EMPTY, PLAN_INVALID (duplicate or unknown names, with the key path in `details.issues`), PLAN_CYCLE (naming the cycle)
 */
export function planTasks(plan: Plan, options: { source: TaskSource }): TaskDraft[] {
  const steps = placeSteps(plan);
  if (steps.length === 0)
    throw new BatonError('PLAN_EMPTY', 'The plan holds no steps.', {
      fix: 'Add at least one step to a stage.',
    });
  refuseDuplicates(plan, steps);
  const dependencies = resolveDependencies(plan, steps);
  refuseCycle(steps, dependencies);
  const { source } = options;
  return steps.map(({ key, step }) => {
    const given = { ...draftOfStep(step), key, dependsOn: dependencies.get(key) ?? [] };
    return draftTask(newTask.parse(given), source);
  });
}

/** What a step of a plan, or the task of a rule, says of the task that becomes of it, in the words of drafts. Pure. */
export function draftOfStep(
  step: Omit<PlanStep, 'key' | 'goal' | 'depends_on' | 'files_strict'> & { goal?: string | undefined },
): Omit<NewTask, 'key'> {
  return {
    title: step.title,
    goal: step.goal,
    role: step.role,
    scope: step.scope,
    complexity: step.complexity,
    risk: step.risk,
    priority: step.priority,
    files: step.files,
    context: step.context,
    signals: step.signals,
    agent: step.agent,
    model: step.model,
    effort: step.effort,
    labels: step.labels,
    maxRetries: step.max_retries,
    ...(step.max_attempts === undefined ? {} : { maxAttempts: step.max_attempts }),
    notBefore: step.not_before === undefined ? null : new Date(step.not_before).toISOString(),
    timeoutMs: step.timeout,
    maxCostMicroUsd: step.max_cost,
    approval: step.approval,
    allowRed: step.allow_red,
  };
}

const strictness = z.object({
  files_strict: z.boolean().optional(),
  stages: z.array(
    z.object({
      steps: z.array(
        z.object({ key: z.string().optional(), title: z.string(), files_strict: z.boolean().optional() }),
      ),
    }),
  ),
});

/**
 * Whether the task of this key may change nothing but the files that it owns, by the plan as it was stored: what its step
 * says, else the plan, else true. Tasks without a step follow the plan.
 */
export function filesAreStrict(plan: unknown, key: string): boolean {
  const known = strictness.safeParse(plan).data;
  const steps = known?.stages.flatMap((stage) => stage.steps) ?? [];
  const step = steps.find((one) => (one.key ?? keyFromTitle(one.title)) === key);
  return step?.files_strict ?? known?.files_strict ?? true;
}

const weakening = z.object({ weakened: z.enum(['hold', 'tell']).optional() });

/** Whether work that weakens tests or gates which its task does not own is held for a person, by the plan as it was stored. */
export function weakenedIsHeld(plan: unknown): boolean {
  return weakening.safeParse(plan).data?.weakened !== 'tell';
}

const showing = z.object({ candidates: z.boolean().optional() });

/** Whether work that waits for a person gets a ref in the user's repository, by the plan as it was stored. */
export function candidatesStand(plan: unknown): boolean {
  return showing.safeParse(plan).data?.candidates !== false;
}

const ahead = z.object({ verify_ahead: z.boolean().optional() });

/** Whether work may be verified beside the work that lands before it, by the plan as it was stored. */
export function verifiesAhead(plan: unknown): boolean {
  return ahead.safeParse(plan).data?.verify_ahead === true;
}

const keeping = z.object({ history });

/** What lands of the commits that agents made, by the plan as it was stored; those of a pull request are what its host makes of them. */
export function historyOf(plan: unknown): History {
  return requestsInto(plan) === null ? (keeping.safeParse(plan).data?.history ?? 'squash') : 'squash';
}

const requesting = z.object({ landing: z.literal('pull_request'), target: z.string() });

/**
 * The branch of the remote that pull requests of a run go into, by the plan as it was stored; null: Baton moves the target itself.
 */
export function requestsInto(plan: unknown): string | null {
  return requesting.safeParse(plan).data?.target ?? null;
}

/** A key from a title: "Write the changelog" → "write-the-changelog". */
export function keyFromTitle(title: string): string {
  const key = title
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
    .replace(/-+$/, '');
  return key === '' ? 'step' : key;
}

function placeSteps(plan: Plan): PlacedStep[] {
  return plan.stages.flatMap((stage, stageIndex) =>
    stage.steps.map((step, stepIndex) => ({
      key: step.key ?? keyFromTitle(step.title),
      step,
      stage: stage.name,
      path: ['stages', stageIndex, 'steps', stepIndex],
    })),
  );
}

function refuseDuplicates(plan: Plan, steps: readonly PlacedStep[]): void {
  const stages = new Set<string>();
  plan.stages.forEach((stage, index) => {
    if (stages.has(stage.name))
      throw invalid(['stages', index, 'name'], `stage name "${stage.name}" is used twice`);
    stages.add(stage.name);
  });
  // Keys are names of folders and refs, and many file systems take "Fmt" and "fmt" for the same.
  const keys = new Map<string, string>();
  for (const { key, step, path } of steps) {
    const other = keys.get(key.toLowerCase());
    if (other !== undefined) throw sameKey({ key, step, path }, other);
    keys.set(key.toLowerCase(), key);
  }
}

function sameKey({ key, step, path }: Pick<PlacedStep, 'key' | 'step' | 'path'>, other: string): BatonError {
  if (step.key === undefined) {
    const has = other === key ? 'another step has' : `differs only in case from "${other}" of another step`;
    return invalid(
      [...path, 'title'],
      `the title "${step.title}" gives the key "${key}", which ${has}; give one of them a key of its own`,
    );
  }
  const what =
    other === key
      ? `the step key "${key}" is used twice`
      : `the step keys "${other}" and "${key}" differ only in case, and are one name as a folder or branch on many machines`;
  return invalid([...path, 'key'], `${what}; give one of them another key`);
}

function resolveDependencies(plan: Plan, steps: readonly PlacedStep[]): Map<string, string[]> {
  const byStage = Map.groupBy(steps, (placed) => placed.stage);
  const keys = new Set(steps.map(({ key }) => key));
  const byTitle = Map.groupBy(steps, ({ step }) => step.title);
  const fromStages = new Map<string, string[]>();
  plan.stages.forEach((stage, stageIndex) => {
    const keys = stage.depends_on.flatMap((name, index) => {
      const found = byStage.get(name);
      if (!found)
        throw invalid(['stages', stageIndex, 'depends_on', index], `there is no stage "${name}"`, {
          name,
          known: [...byStage.keys()],
        });
      return found.map((placed) => placed.key);
    });
    fromStages.set(stage.name, keys);
  });
  return new Map(
    steps.map(({ key, step, stage, path }) => {
      const own = step.depends_on.map((name, index) => {
        if (keys.has(name)) return name;
        const [found, another] = byTitle.get(name) ?? [];
        const at = [...path, 'depends_on', index];
        if (found === undefined)
          throw invalid(at, `there is no step with the key or title "${name}"`, {
            name,
            known: [...keys, ...byTitle.keys()],
          });
        if (another !== undefined) {
          throw invalid(
            at,
            `"${name}" is the title of several steps; name the key: ${found.key} or ${another.key}`,
          );
        }
        return found.key;
      });
      return [key, [...new Set([...(fromStages.get(stage) ?? []), ...own])]];
    }),
  );
}

function refuseCycle(steps: readonly PlacedStep[], dependencies: ReadonlyMap<string, string[]>): void {
  const found = findCycle(dependencies);
  if (found === null) return;
  const [key = ''] = found;
  const cycle = found.length > 12 ? [...found.slice(0, 10), '…', key].join(' → ') : found.join(' → ');
  throw new BatonError('PLAN_CYCLE', `The steps depend on each other in a cycle: ${cycle}.`, {
    fix: 'Remove one of these dependencies.',
    details: {
      cycle,
      issues: [
        {
          path: steps.find((placed) => placed.key === key)?.path ?? [],
          message: `part of the cycle ${cycle}`,
        },
      ],
    },
  });
}

/** `missed`: a name that matches nothing, and those that could have been meant. */
function invalid(
  path: readonly (string | number)[],
  message: string,
  missed?: { name: string; known: readonly string[] },
): BatonError {
  return new BatonError('PLAN_INVALID', `The plan is not valid: ${path.join('.')}: ${message}`, {
    details: { issues: [{ path, message }], ...(missed && { missed }) },
  });
}
