import type { AgentResult } from './agent-result.ts';
import type { WorkerContext } from '../context/context.ts';
import type { OpenBatch } from '../open/open-batch.ts';

/**
 * Compares Baton's clone with how it was made, as soon as an agent is through with a task and before any git of ours runs on
 * it: what was planted there would run with it. It is put back, and work that came with it is not taken but salvaged.
 * Source: docs/spec/agents.md#clone.
 */
export async function checkClone(
  ctx: Pick<WorkerContext, 'log'>,
  { claim, repo, agent }: OpenBatch,
  done: AgentResult,
): Promise<{ done: AgentResult; tampered: boolean }> {
  const names = await repo.clone.restore();
  if (names.length === 0) return { done, tampered: false };
  // An agent that still lives could plant it again.
  await agent.close();
  names.push(...(await repo.clone.restore()).filter((name) => !names.includes(name)));
  ctx.log.warn("Baton's clone of the repository was changed from outside; it was put back", {
    session: claim.sessionId,
    names,
  });
  if (done.finished.outcome !== 'done') return { done, tampered: true };
  const summary = `It changed Baton's own clone of the repository (${names.slice(0, 5).join(', ')}). The clone was put back, and the work was salvaged instead of taken.`;
  const finished = {
    ...done.finished,
    outcome: 'failed',
    abortReason: 'permission_denied',
    summary,
  } as const;
  return { done: { ...done, finished }, tampered: true };
}
