import { BatonError } from '@baton/contracts';
import { agentModels, installedAgents, type AgentModels } from '@baton/spawner';
import { systemClock, systemIds } from '@baton/service/system';

import type { Call } from '../terminal/call.ts';
import type { Colors } from '../terminal/colors.ts';
import { loadConfig } from '../plan/load-config.ts';
import { openProject } from '../project/project.ts';
import type { RepoOption } from '../project/with-store.ts';

/** Agents that are asked for nothing but their list answer within a few seconds, or not at all. */
const answerMs = 60_000;

/** What an agent of this machine offers. */
export interface AgentOffer {
  /** Name in plans. */
  name: string;
  offer: AgentModels;
}

/** Asks each agent of this machine, and each that `baton.yaml` defines here, which models it offers; all at once. */
export async function offersHere(call: Call, options: RepoOption): Promise<AgentOffer[]> {
  const installed = await installedAgents({ env: call.env.all });
  // Outside of a repository there are the agents of the machine alone.
  const config = await openProject(call, options)
    .then(({ root }) => loadConfig(root))
    .catch((error: unknown) => {
      if (options.repo === undefined && BatonError.is(error, 'REPO_NOT_FOUND')) return null;
      throw error;
    });
  const own = Object.entries(config?.agents ?? {}).map(([name, definition]) => ({ name, definition }));
  const others = installed.filter(({ name }) => !own.some((one) => one.name === name));
  const asked = [...own, ...others].filter(({ definition }) => 'acp' in definition);
  if (asked.length > 0)
    call.out.note(
      `Asking ${asked.map(({ name }) => name).join(', ')}, for ${answerMs / 1000} seconds at most. No prompt is sent.`,
    );
  return Promise.all(
    asked.map(async ({ name, definition }) => ({
      name,
      offer: await agentModels({
        ...{ name, definition, env: call.env.all, timeoutMs: answerMs },
        ...{ clock: systemClock, ids: systemIds },
      }).catch((error: unknown): AgentModels => {
        if (BatonError.is(error)) return { why: [error.message, error.fix ?? ''].join(' ').trim() };
        throw error;
      }),
    })),
  );
}

/** A block for each agent. Pure. */
export function renderOffers(offers: readonly AgentOffer[], colors: Colors): string {
  if (offers.length === 0)
    return 'No agent that lists its models is here: `baton doctor` says which are missing, and how to get them.';
  return offers.map(({ name, offer }) => [colors.bold(name), ...linesOf(offer)].join('\n')).join('\n\n');
}

function linesOf(offer: AgentModels): string[] {
  if ('why' in offer) return [`  does not say: ${offer.why}`];
  const { models, current, efforts } = offer;
  const known = current !== null && !models.includes(current) ? [current, ...models] : models;
  return [
    ...(known.length === 0 ? ['  lists no models; it accepts any model name'] : []),
    ...known.map((model) => `  ${model}${model === current ? ' (where nothing is said)' : ''}`),
    ...(efforts.length === 0 ? [] : [`  levels of thought: ${efforts.join(', ')}`]),
  ];
}
