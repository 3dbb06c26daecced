import { z } from 'zod';
import { commitStyle } from './commits.ts';
import { gates } from './gates.ts';
import { branch } from './git-names.ts';
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
import {
  age,
  argv,
  diskSpace,
  pathPrefix,
  prices,
  repoPath,
  settledDuration,
  timeLimit,
  usd,
} from './units.ts';

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

/** How far an abort reaches beyond what it is about; nothing by default. Source: docs/spec/kernel.md#abort-chain-binding. */
export const abortPolicy = z.strictObject({
  tool_to_sibling: z
    .boolean()
    .default(false)
    .describe('true: an aborted tool call also stops the other agents of the run on its worker'),
  sibling_to_session: z
    .boolean()
    .default(false)
    .describe('true: stopping the other agents stops all agents of the run on its worker'),
});

/** Agents are kept when their work is done, instead of ended (docs/spec/kernel.md#idle-agents). */
export const reusePolicy = z.strictObject({
  recycle: z
    .union([timeLimit, z.literal(0), z.literal('0s').transform(() => 0)])
    .default(0)
    .describe('how long an agent without work waits for more before it is ended; default 0'),
});

/** What happens to work that weakens tests or gates which its step does not own. */
const weakened = z.enum(['hold', 'tell']);

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

/** Who reads finished work before it lands (docs/spec/landing.md#reviews). */
export const reviewer = z.strictObject({
  agent: z
    .union([keyName, agentDefinition])
    .describe('who reviews; it must differ from the author in agent or model'),
  model: z.string().min(1).optional(),
  effort: effort.optional(),
  prompt: z.string().trim().min(1).max(20_000).optional().describe('what to look at in this repository'),
  tasks: z
    .enum(['all', 'signals'])
    .default('all')
    .describe('signals: only tasks with a signal `llm_review` or `llm_judge` are reviewed'),
  timeout: timeLimit.default(900_000).describe('how long one review may take; default 15m'),
});
export type Reviewer = z.output<typeof reviewer>;

/** Which agent, model and effort a role gets, and which models step in for one another (docs/spec/routing-and-cost.md#route). */
export const routing = z.strictObject({
  roles: z
    .record(
      z.string(),
      z.strictObject({
        agent: keyName.optional(),
        model: z.string().min(1).optional(),
        effort: effort.optional(),
      }),
    )
    .default({})
    .describe('by role name, what steps get that name none themselves'),
  ladders: z
    .array(z.array(z.string().min(1)).min(2))
    .default([])
    .describe('models of one agent, weakest first: a rejected try climbs, a budget at 80 % steps down'),
  reviewer: reviewer
    .optional()
    .describe('an agent that reads each finished change before it lands, and can refuse it'),
});
export type Routing = z.output<typeof routing>;

/** How long what is over stays, in the database and in the state folder; looked at every hour, and by `baton clean`. */
export const retention = z.strictObject({
  events: z
    .union([age, z.literal('never')])
    .default(180 * 86_400_000)
    .describe('history of settled work, then moved to the archive folder; default 180d'),
  agent_events: z
    .union([age, z.literal('never')])
    .default(30 * 86_400_000)
    .describe(
      'what agents streamed, after the end of their session, and the checkpoints of settled tasks; then deleted; default 30d',
    ),
  attempts: z
    .union([age, z.literal('never')])
    .default(30 * 86_400_000)
    .describe('refs of attempts at settled tasks, and logs of agents; then deleted; default 30d'),
  salvage: z
    .union([age, z.literal('never')])
    .default(90 * 86_400_000)
    .describe('work saved from agents that ended early, of settled tasks; then deleted; default 90d'),
  worktrees: z
    .union([age, z.literal('never')])
    .default(7 * 86_400_000)
    .describe('unused worktrees; then removed, and created again when needed; default 7d'),
  disk: diskSpace
    .optional()
    .describe(
      'room that the state folder may take, e.g. 20GB: above it idle worktrees go at once, then no new work starts',
    ),
});

export type Retention = z.output<typeof retention>;

/** `baton.yaml` in a repository: what plans of this repository share. */
export const repoConfig = z.strictObject({
  target: branch.optional(),
  files_strict: z.boolean().optional().describe('default of plans of this repository; true when left out'),
  weakened: weakened.optional().describe('default of plans of this repository; hold when left out'),
  candidates: z.boolean().optional().describe('default of plans of this repository; true when left out'),
  gates: gates.default([]),
  workspace: workspaceSetup.optional(),
  commits: commitStyle.optional().describe('how landed commits are written'),
  agents: z.record(keyName, agentDefinition).default({}),
  agent: z.union([keyName, agentDefinition]).optional(),
  plugins: z
    .array(
      z.strictObject({
        name: z.string().min(1).describe('built-in name, package or ./path'),
        options: z.unknown().optional(),
      }),
    )
    .default([]),
  routing: routing.optional(),
  prices: prices
    .optional()
    .describe('by model id, what it costs here: for models without a known price, or with another one'),
  retention: retention.optional(),
});
export type RepoConfig = z.output<typeof repoConfig>;
