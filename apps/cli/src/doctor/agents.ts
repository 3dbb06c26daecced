import { agentsHere, installedAgents, knownAgents, type AgentHere } from '@baton/spawner';

import { createTools } from '../project/project.ts';
import type { Check, Finding } from './checks.ts';
import { probeAgents } from './probe.ts';

/**
 * The agents that people have: each known program with its version, whether it is logged in, and what is missing. None
 * at all is a warning: commands are agents, too.
 */
export const checkAgentsHere: Check = async (call, options) => {
  const { env } = call;
  const here = await agentsHere({ env: env.all, exec: createTools(call).exec });
  const usable = here.filter(({ speaker }) => speaker !== null);
  const own = (await installedAgents({ env: env.all })).filter((one) => one.needsModel === true && one.ready);
  const findings = [
    ...here.map(agentFinding),
    ...own.map(({ name }): Finding => ({
      ...{ name: 'agent', status: 'ok' },
      text: `${name} (Baton's own loop; a key is set, and the plan names a model)`,
    })),
  ];
  const probed = options.probe === true ? await probeAgents(call, usable) : [];
  return findings.length > 0
    ? [...findings, ...probed]
    : {
        name: 'agents',
        status: 'warn',
        text: 'none of the coding agents that Baton knows is installed',
        fix: `Install one of ${knownAgents.slice(0, 4).join(', ')} (\`npm install -g @agentclientprotocol/claude-agent-acp\` for the first), or give plans agents that are commands.`,
      };
};

/** One line for one agent. Pure. */
export function agentFinding({ name, speaker, cli, tested, login, fix }: AgentHere): Finding {
  const programs = [speaker, cli].flatMap((one) =>
    one === null ? [] : [`${one.program}${one.version === null ? '' : ` ${one.version}`}`],
  );
  const lacking =
    speaker === null
      ? ': Baton cannot start it yet'
      : { found: '', unknown: ': may be logged in, `baton doctor --probe` asks it', none: ': not logged in' }[
          login
        ];
  const isOther = speaker?.version !== undefined && speaker.version !== null && speaker.version !== tested;
  const tried = isOther ? `; Baton was tried with ${tested}` : '';
  return {
    name: 'agent',
    status: fix === null ? 'ok' : 'warn',
    text: `${name} (${programs.join(', ')}${tried})${lacking}`,
    ...(fix === null ? {} : { fix }),
  };
}
