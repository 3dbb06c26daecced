import { BatonError, type AgentDefinition } from '@baton/contracts';
import { builtinAgent, knownAgents } from '@baton/spawner';
import { isAuthor, reviewerOf, reviewerTask, reviewQuestions } from '@baton/worker';

import type { Call } from '../terminal/call.ts';
import { lookAtAgents, type AgentQuestion, type AgentUse } from './check-agents.ts';

/** What decides on the reviewer of a run. */
export interface ReviewerQuestion extends Omit<AgentQuestion, 'tasks'> {
  tasks: readonly (AgentQuestion['tasks'][number] & Parameters<typeof reviewQuestions>[0]['task'])[];
  /** The agents of the tasks. */
  uses: readonly AgentUse[];
}

/** The reviewer of a run, for people. */
export interface ReviewerUse {
  name: string;
  /** Null: its own default, or a command that has none. */
  model: string | null;
}

const place = 'routing.reviewer';

/** Who will read the work of a plan, and what would keep that from being done by somebody other than its author. */
export async function lookAtReviewer(
  call: Pick<Call, 'env'>,
  { tasks, run, uses, budgetMicroUsd }: ReviewerQuestion,
): Promise<{ reviewer: ReviewerUse | null; problems: BatonError[] }> {
  const asking = tasks.filter((task) => reviewQuestions({ run, task }).length > 0);
  const [first] = asking;
  if (first === undefined) return { reviewer: null, problems: [] };
  const named = reviewerOf(run);
  if (named === null) return { reviewer: null, problems: [noReviewer(first.key)] };
  const review = { ...reviewerTask(first, named), key: place, maxCostMicroUsd: null };
  const looked = await lookAtAgents(call, { tasks: [review], run, budgetMicroUsd });
  const [use] = looked.uses;
  if (use === undefined) return { reviewer: null, problems: looked.problems };
  const isInline = typeof named.agent !== 'string';
  const name = isInline ? 'reviewer' : use.name;
  const definition = typeof named.agent === 'string' ? definitionOf(run, use.name) : named.agent;
  const keys = new Set(asking.map(({ key }) => key));
  const authors = uses
    .filter((each) => each.tasks.some((key) => keys.has(key)))
    .filter((each) =>
      isAuthor(
        { definition, model: use.model },
        { agentName: each.name, definition: authorOf(each, { run, tasks }), model: each.model },
      ),
    );
  return { reviewer: { name, model: use.model }, problems: authors.slice(0, 1).map(itself) };
}

function definitionOf({ agents }: ReviewerQuestion['run'], name: string): AgentDefinition {
  const own = Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (own !== undefined) return own;
  return knownAgents.includes(name) ? builtinAgent(name) : { command: [name] };
}

/** The definition of an agent, from the step that defines it in place or from its name. */
function authorOf(use: AgentUse, { run, tasks }: Pick<ReviewerQuestion, 'run' | 'tasks'>): AgentDefinition {
  const agent = tasks.find(({ key }) => use.tasks.includes(key))?.agent ?? run.defaultAgent;
  return typeof agent === 'object' && agent !== null ? agent : definitionOf(run, use.name);
}

function noReviewer(key: string): BatonError {
  return new BatonError('PLAN_INVALID', `The step ${key} asks for a review, and no reviewer is named.`, {
    at: key,
    fix: 'Name the reviewer in baton.yaml, for example `routing: { reviewer: { agent: codex } }`.',
  });
}

function itself({ name, model, tasks }: AgentUse): BatonError {
  const who = model === null ? name : `${name} (${model})`;
  return new BatonError(
    'PLAN_INVALID',
    `The reviewer would be the author of ${tasks.slice(0, 3).join(', ')}: ${who}.`,
    {
      at: place,
      fix: 'Name another agent there. The same agent needs another model there, and a model in the step or its role.',
    },
  );
}
