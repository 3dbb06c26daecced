import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { AgentDefinition, Clock, Ids } from '@baton/contracts';
import { agentEnvironment } from '../agent/environment.ts';
import type { OpenAgentOptions } from './open-agent.ts';
import { redactor } from '../agent/redact.ts';
import { builtinAgent } from '../agent/registry.ts';
import { makeTemporaryFolder } from '../process/temporary-folder.ts';

/** An agent that is asked something beside all work. */
export interface AskedAgent {
  name: string;
  /** Null: the agent that Baton knows under this name. */
  definition: AgentDefinition | null;
  /** The operator's environment. */
  env: Readonly<Record<string, string | undefined>>;
  timeoutMs: number;
  clock: Clock;
  ids: Ids;
}

/** Lets an agent be asked in an empty folder, where it may use no tool; the folder is removed afterwards. */
export async function askInEmptyFolder<Answer>(
  { name, definition, env, clock, ids }: AskedAgent,
  ask: (options: OpenAgentOptions) => Promise<Answer>,
): Promise<Answer> {
  const known = definition ?? builtinAgent(name);
  const agentEnv = agentEnvironment({ base: { CLAUDE_CODE_MAX_RETRIES: '1', ...env }, definition: known });
  const folder = makeTemporaryFolder(env, 'baton-ask-');
  try {
    return await ask({
      ...{ name, definition: known, clock, env: agentEnv, redact: redactor(env), marker: ids.uuid() },
      workspace: { path: folder, taskFileDir: path.join(folder, '.task'), portBase: 0 },
      limits: { graceMs: 500 },
      logFile: null,
      permission: () => 'deny',
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
