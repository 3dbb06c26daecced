import type { Call } from '../terminal/call.ts';
import { askEach } from '../look/ask-each.ts';
import type { StoreAccess } from '../project/open-store.ts';
import type { Project } from '../project/project.ts';

/**
 * Asks for a person's word on everything of a run that waits for one. There is no automatic "yes", ever.
 * @returns how many were decided
 */
export async function askApprovals(
  call: Call,
  { access: { store }, project }: { access: StoreAccess; project: Project },
  { runId, signal }: { runId: string; signal: AbortSignal },
): Promise<number> {
  const approvals = await store.approvals.list({ runId, status: 'waiting' });
  const { decided } = await askEach(call, { store, project }, { approvals, signal });
  return decided.length;
}
