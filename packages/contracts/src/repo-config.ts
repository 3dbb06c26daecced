import { z } from 'zod';
import { audit } from './audit.ts';
import { commitStyle } from './commits.ts';
import { flakyAbove, gates } from './gates.ts';
import { branch } from './git-names.ts';
import { history, landing, weakened, workspaceSetup } from './plan.ts';
import { agentDefinition, effort, keyName } from './task.ts';
import { age, diskSpace, prices, timeLimit } from './units.ts';

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
  landing: landing.optional().describe('default of plans of this repository; target when left out'),
  history: history.optional().describe('default of plans of this repository; squash when left out'),
  files_strict: z.boolean().optional().describe('default of plans of this repository; true when left out'),
  weakened: weakened.optional().describe('default of plans of this repository; hold when left out'),
  candidates: z.boolean().optional().describe('default of plans of this repository; true when left out'),
  verify_ahead: z.boolean().optional().describe('default of plans of this repository; false when left out'),
  flaky_above: flakyAbove.optional().describe('default of plans of this repository; 1 when left out'),
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
  audit: audit.optional(),
});
export type RepoConfig = z.output<typeof repoConfig>;
