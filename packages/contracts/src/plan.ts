import { z } from 'zod';
import { commitStyle } from './commits.ts';
import { flakyAbove, gates } from './gates.ts';
import { branch } from './git-names.ts';
import { abortPolicy, reusePolicy } from './run-policies.ts';
import {
  agentDefinition,
  completionSignal,
  complexity,
  effort,
  keyName,
  risk,
  scope,
  taskDefaults,
} from './task.ts';
import { argv, pathPrefix, repoPath, settledDuration, timeLimit, usd } from './units.ts';

/** How a fresh worktree becomes usable (docs/spec/agents.md#workspaces). */
export const workspaceSetup = z.strictObject({
  setup: argv.optional().describe('command run in each fresh worktree, e.g. [npm, ci]'),
  setup_timeout: timeLimit.default(600_000),
  inputs: z
    .array(pathPrefix)
    .optional()
    .describe(
      'what the set-up command reads: it runs again when one of these changes; default: manifests and lock files for a plain package install, any tracked file for other commands',
    ),
  symlink: z
    .array(repoPath)
    .default([])
    .describe('ignored folders taken from your checkout, e.g. node_modules; read-only or a copy'),
  copy: z
    .array(repoPath)
    .default([])
    .describe(
      'ignored files copied from your checkout, e.g. .env.test; a file .worktreeinclude at its top names more of them in the syntax of .gitignore',
    ),
});
export type WorkspaceSetup = z.output<typeof workspaceSetup>;

/** A set-up behind the edge: numbers are milliseconds, and parsing it again changes nothing. */
export const settledSetup = workspaceSetup.extend({ setup_timeout: settledDuration.default(600_000) });

/** One step of a plan: becomes one task. */
export const planStep = z.strictObject({
  key: keyName.optional().describe('unique name; derived from the title when absent'),
  title: z.string().min(1).max(500),
  goal: z
    .string()
    .min(1)
    .max(100_000)
    .optional()
    .describe('the goal: what must be true afterwards; default: the title'),
  role: z.string().min(1).max(64).default(taskDefaults.role),
  scope: scope.default(taskDefaults.scope),
  complexity: complexity.default(taskDefaults.complexity),
  risk: risk.default(taskDefaults.risk),
  priority: z
    .number()
    .int()
    .min(0)
    .max(5)
    .default(taskDefaults.priority)
    .describe('0 jumps the queue, 1 high … 5 low'),
  files: z
    .array(pathPrefix)
    .default([])
    .describe('path prefixes this step owns: no two running steps share one'),
  files_strict: z
    .boolean()
    .optional()
    .describe('false: changes outside of `files` are reported instead of refused; default: that of the plan'),
  context: z.array(repoPath).default([]).describe('files the agent should read first'),
  signals: z.array(completionSignal).default([]),
  agent: z.union([keyName, agentDefinition]).optional(),
  model: z.string().min(1).optional(),
  effort: effort.optional(),
  labels: z.array(z.string().min(1)).default([]),
  depends_on: z.array(z.string().min(1)).default([]).describe('keys or titles of other steps'),
  max_retries: z.number().int().min(0).max(20).default(taskDefaults.maxRetries),
  max_attempts: z
    .number()
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe(
      'attempts in all, however they ended, for this step and its subtasks, before a person decides; default 10, or 5 for each try',
    ),
  not_before: z.iso.datetime({ offset: true }).optional(),
  timeout: timeLimit.optional(),
  max_cost: usd
    .optional()
    .describe('US dollars this step may cost, all its tries together; at that an agent at work is stopped'),
  approval: z.boolean().default(false).describe('true: a person must approve the finished work'),
  allow_red: z.array(keyName).default([]).describe('names of gates that may be red for this step'),
});
export type PlanStep = z.output<typeof planStep>;

/** Steps that belong together; stages may wait for one another. */
export const planStage = z.strictObject({
  name: keyName,
  depends_on: z
    .array(keyName)
    .default([])
    .describe('stages that must be done first; stages without it run side by side'),
  steps: z.array(planStep).min(1),
});

/** What happens to work that weakens tests or gates which its step does not own. */
export const weakened = z.enum(['hold', 'tell']);

/** Who moves the target (docs/spec/landing.md#pull-requests). */
export const landing = z.enum(['target', 'pull_request']);

/** What lands of the commits that agents made (docs/spec/landing.md#histories). */
export const history = z.enum(['squash', 'linear', 'merge']);
export type History = z.output<typeof history>;

/** A plan file (docs/spec/server-and-worker.md#plan-file). Every key is listed here; an unknown one is refused by name. */
export const plan = z.strictObject({
  name: keyName,
  budget: z
    .strictObject({
      usd,
      unmeasured: z
        .enum(['book', 'refuse'])
        .optional()
        .describe(
          'agents that do not report all they spend: book what they could have spent (default), or refuse to start them',
        ),
    })
    .optional()
    .describe('the run never spends more'),
  target: branch.optional().describe('branch that work lands on; default: an integration branch baton/<run>'),
  landing: landing
    .optional()
    .describe(
      'target: Baton moves the target itself; pull_request: each task becomes a pull request into that branch of the remote, which somebody merges; default: that of baton.yaml, else target',
    ),
  history: history
    .optional()
    .describe(
      "squash: each task lands as one commit; linear: as its agent's own commits, made again on the target one by one; merge: as a merge of these as they are; what cannot be kept lands as one commit, and `baton task` says why; default: that of baton.yaml, else squash",
    ),
  batch_size: z
    .number()
    .int()
    .min(1)
    .max(3)
    .default(3)
    .describe(
      'tasks that one agent session may take at most: more than one only where more tasks are ready than agents may be at work, or where the agent is `warm` or `reuse` keeps it; a command always takes one',
    ),
  max_agents: z
    .number()
    .int()
    .min(1)
    .max(200)
    .optional()
    .describe('agents at work at once; default: cores of the worker'),
  trust: z.enum(['observe', 'enforce']).default('observe'),
  weakened: weakened
    .optional()
    .describe(
      'work that weakens tests or gates which its step does not own: hold it for a person, or only report it; default: that of baton.yaml, else hold',
    ),
  candidates: z
    .boolean()
    .optional()
    .describe(
      'whether work that waits for a person gets a ref under refs/baton/candidate/<key> of a local repository; default: that of baton.yaml, else true',
    ),
  verify_ahead: z
    .boolean()
    .optional()
    .describe(
      'whether finished work is verified beside the work that lands before it, where a processor is idle: gates then run twice at the same time, so none may need a port, a database or the like for itself; default: that of baton.yaml, else false',
    ),
  flaky_above: flakyAbove
    .optional()
    .describe(
      'a gate is flaky when more than so many of the last 20 trees that it judged were refused and then passed, with nothing changed: its reds are then confirmed more often; default: that of baton.yaml, else 1',
    ),
  review: z.boolean().default(false).describe('true: wait for a person before any step starts'),
  files_strict: z
    .boolean()
    .optional()
    .describe('whether steps that own `files` may change no others; default: that of baton.yaml, else true'),
  allow_red: z.array(keyName).default([]).describe('gates that may be red on the base'),
  agents: z.record(keyName, agentDefinition).default({}),
  agent: z.union([keyName, agentDefinition]).optional().describe('agent of steps that name none'),
  workspace: workspaceSetup.optional(),
  commits: commitStyle.optional().describe('default: that of baton.yaml'),
  abort: abortPolicy.optional(),
  reuse: reusePolicy.optional(),
  gates: gates.default([]),
  stages: z.array(planStage).min(1),
});
export type Plan = z.output<typeof plan>;
