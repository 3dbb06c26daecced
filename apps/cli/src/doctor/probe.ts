import { probeAgent, type AgentAnswer, type AgentHere } from '@baton/spawner';
import { systemClock, systemIds } from '@baton/service/system';

import type { Call } from '../terminal/call.ts';
import { formatUsd } from '../terminal/format.ts';
import type { Finding } from './checks.ts';

const answerMs = 60_000;

/** Asks each agent for one word, all at once; prints before how long that may take and what it costs. */
export async function probeAgents(call: Call, agents: readonly AgentHere[]): Promise<Finding[]> {
  if (agents.length === 0) return [];
  const names = agents.map(({ name }) => name).join(', ');
  call.out.note(
    `Asking ${names} for one word, for ${answerMs / 1000} seconds at most. Each answer costs what a short question costs there.`,
  );
  return Promise.all(
    agents.map(async ({ name, fix }) =>
      probeFinding({
        name,
        answer: await probeAgent({
          ...{ name, definition: null, env: call.env.all, timeoutMs: answerMs },
          ...{ clock: systemClock, ids: systemIds },
        }),
        fix,
      }),
    ),
  );
}

/** What an answer says. Pure. */
export function probeFinding({
  name,
  answer,
  fix,
}: {
  name: string;
  answer: AgentAnswer;
  /** How to log in, where that is known to be missing. */
  fix: string | null;
}): Finding {
  const { outcome, summary, tokens, costMicroUsd, tookMs } = answer;
  const took = `${(tookMs / 1000).toFixed(1)} s`;
  if (outcome === 'done') {
    const spent = [
      ...(tokens === null ? [] : [`${tokens} tokens`]),
      ...(costMicroUsd === null ? [] : [formatUsd(costMicroUsd)]),
    ];
    const told = spent.length === 0 ? 'it did not say what it cost' : spent.join(', ');
    return { name: 'probe', status: 'ok', text: `${name} answered in ${took} (${told})` };
  }
  const why = outcome === 'timeout' ? `no answer within ${took}` : summary;
  return {
    name: 'probe',
    status: 'fail',
    text: `${name}: ${outcome.replaceAll('_', ' ')}, ${why}`,
    fix:
      outcome === 'not_logged_in'
        ? (fix ?? `Start ${name} once by hand and log in, or set its key.`)
        : (waysOut[outcome] ?? `Start ${name} by hand and look what it says.`),
  };
}

const waysOut: Partial<Record<AgentAnswer['outcome'], string>> = {
  rate_limited: 'Wait until its limit is over, or use another agent.',
  provider_down: 'Wait until its provider answers again, or use another agent.',
  missing_binary: 'Install it, or put it into PATH.',
};
