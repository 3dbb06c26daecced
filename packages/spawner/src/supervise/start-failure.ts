import { startProblem } from '../process/start-problem.ts';
import { classifySpawnError } from './exit-classes.ts';
import type { AgentContext } from '../agent/adapter.ts';
import { installHint } from '../agent/registry.ts';

/** How a task ended whose agent could not be started, with what to do. */
export function startFailure(error: string, { argv, cwd, env }: Pick<AgentContext, 'argv' | 'cwd' | 'env'>) {
  const [program] = argv;
  const ending = classifySpawnError(error);
  const problem = startProblem(program, { cwd, env });
  if (problem !== null) return { ...ending, summary: `${program} ${problem.what}. ${problem.fix}` };
  const isMissing = ending.outcome === 'missing_binary';
  return {
    ...ending,
    summary: isMissing ? installHint(program) : `${program} cannot be started (${error}).`,
  };
}
