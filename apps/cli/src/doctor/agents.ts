import { installedAgents, knownAgents } from '@baton/spawner';

import type { Check, Finding } from './checks.ts';

/** The agents that Baton knows, and whether they are logged in. None at all is a warning: commands are agents, too. */
export const checkAgentsHere: Check = async ({ env }) => {
  const found = (await installedAgents({ env: env.all })).filter(
    (agent) => agent.needsModel !== true || agent.ready,
  );
  if (found.length === 0) {
    return {
      name: 'agents',
      status: 'warn',
      text: 'none of the coding agents that Baton knows is installed',
      fix: `Install one of ${knownAgents.join(', ')}, or give plans agents that are commands.`,
    };
  }
  return found.map((agent): Finding => ({
    name: 'agent',
    status: agent.ready ? 'ok' : 'warn',
    text: `${agent.name} (${agent.program})${agent.ready ? '' : ': not logged in'}`,
    ...(agent.fix === null ? {} : { fix: agent.fix }),
  }));
};
