import { BatonError } from '@baton/contracts';
import type { Route } from '@baton/router-cost';
import { chosenReviewer, isAuthor, reviewerOf, reviewerTask, reviewQuestions } from '@baton/worker';

import type { Call } from '../terminal/call.ts';
import { lookAtAgents, type AgentQuestion } from './check-agents.ts';

/** What decides on the reviewer of a run. */
export interface ReviewerQuestion extends Omit<AgentQuestion, 'tasks'> {
  tasks: readonly (AgentQuestion['tasks'][number] & Parameters<typeof reviewQuestions>[0]['task'])[];
  /** The agents of the tasks, by key. */
  routes: ReadonlyMap<string, Route>;
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
  { tasks, run, routes, budgetMicroUsd }: ReviewerQuestion,
): Promise<{ reviewer: ReviewerUse | null; problems: BatonError[] }> {
  const asking = tasks.filter((task) => reviewQuestions({ run, task }).length > 0);
  const [first] = asking;
  if (first === undefined) return { reviewer: null, problems: [] };
  const named = reviewerOf(run);
  if (named === null) return { reviewer: null, problems: [noReviewer(first.key)] };
  const review = { ...reviewerTask(first, named), key: place, maxCostMicroUsd: null };
  const looked = await lookAtAgents(call, { tasks: [review], run, budgetMicroUsd });
  const route = looked.routes.get(place);
  if (route === undefined) return { reviewer: null, problems: looked.problems };
  const reviewer = chosenReviewer(route);
  const own = asking.filter(({ key }) => {
    const author = routes.get(key);
    return author !== undefined && isAuthor(reviewer, author);
  });
  const { name, model } = reviewer;
  const problems =
    own.length === 0
      ? []
      : [
          itself(
            { name, model },
            own.map(({ key }) => key),
          ),
        ];
  return { reviewer: { name, model }, problems };
}

function noReviewer(key: string): BatonError {
  return new BatonError('PLAN_INVALID', `The step ${key} asks for a review, and no reviewer is named.`, {
    at: key,
    fix: 'Name the reviewer in baton.yaml, for example `routing: { reviewer: { agent: codex } }`.',
  });
}

function itself({ name, model }: ReviewerUse, keys: readonly string[]): BatonError {
  const who = model === null ? name : `${name} (${model})`;
  const more = keys.length > 3 ? ', …' : '';
  return new BatonError(
    'PLAN_INVALID',
    `The reviewer would be the author of ${keys.slice(0, 3).join(', ')}${more}: ${who}.`,
    {
      at: place,
      fix: 'Name another agent there. The same agent needs another model there, and a model in the step or its role.',
    },
  );
}
