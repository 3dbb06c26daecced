import { isDeepStrictEqual } from 'node:util';
import { modelAliases, type AgentDefinition, type Effort, type Reviewer } from '@baton/contracts';
import type { Route, RouteInput } from '@baton/router-cost';
import { builtinAgent } from '@baton/spawner';

/** The agent that reviews. */
export interface ChosenReviewer {
  name: string;
  definition: AgentDefinition;
  /** Null: the agent's own default, or a command that has none. */
  model: string | null;
  effort: Effort | null;
}

/** Who made a change. */
export type Author = Pick<Route, 'agentName' | 'definition' | 'model'>;

/** What the router calls an agent that is defined in place. */
const inline = 'inline';
/** The role that reviewers have in the role table. */
const role = 'reviewer';

/** A review as the router sees it: work of the size of the task, by the agent that the repository names. Pure. */
export function reviewerTask(
  { scope, complexity, risk }: Pick<RouteInput['task'], 'scope' | 'complexity' | 'risk'>,
  { agent, model, effort }: Reviewer,
): RouteInput['task'] {
  return { role, scope, complexity, risk, agent, model: model ?? null, effort: effort ?? null };
}

/** Pure. */
export function chosenReviewer({ agentName, definition, model, effort }: Route): ChosenReviewer {
  const name = agentName === inline ? role : agentName;
  return { name, definition: definition ?? builtinAgent(agentName), model, effort };
}

/**
 * Whether a reviewer cannot be distinguished from the author of a change: the same model, or the same program where one of both models is its
 * default. Pure.
 */
export function isAuthor(
  reviewer: Pick<ChosenReviewer, 'definition' | 'model'>,
  { agentName, definition, model }: Author,
): boolean {
  if (reviewer.model !== null && model !== null) return idOf(reviewer.model) === idOf(model);
  return isDeepStrictEqual(programOf(reviewer.definition), programOf(definition ?? builtinAgent(agentName)));
}

/** What runs, whatever it is called and given. */
function programOf(definition: AgentDefinition): readonly string[] {
  if ('in_process' in definition) return ['in_process', definition.base_url ?? ''];
  return 'acp' in definition ? definition.acp : definition.command;
}

/** A model's id without its providers, whatever it is called for short. */
function idOf(model: string): string {
  const id = model.slice(model.lastIndexOf('/') + 1);
  return Object.hasOwn(modelAliases, id) ? (modelAliases[id] ?? id) : id;
}
