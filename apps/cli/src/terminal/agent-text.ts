import type { AgentSession, Attempt } from '@baton/task-store';
import { z } from 'zod';

const route = z.object({ agent: z.string(), model: z.string().nullable() });

/** The router's name of an agent that a step defines itself. */
const inline = 'inline';

/** Who works, or worked, on an attempt. */
export interface AgentName {
  /** As the plan calls it. */
  agent: string;
  /** Null: the agent's own default, and it has not said which that is. */
  model: string | null;
}

/** Who works on an attempt; null until its agent was started. */
export function agentOf(
  attempt: Pick<Attempt, 'route'> | undefined,
  session: Pick<AgentSession, 'adapter' | 'model'> | undefined,
): AgentName | null {
  const chosen = route.safeParse(attempt?.route);
  const named = chosen.success && chosen.data.agent !== inline ? chosen.data.agent : undefined;
  const agent = named ?? session?.adapter ?? '';
  if (agent === '') return null;
  return { agent, model: session?.model ?? (chosen.success ? chosen.data.model : null) };
}

/** `claude-code·opus`; the agent alone where its model is not known. */
export function agentText(name: AgentName | null): string {
  if (name === null) return '';
  return name.model === null ? name.agent : `${name.agent}·${name.model}`;
}
