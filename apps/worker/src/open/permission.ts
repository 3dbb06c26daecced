import { isInside, type PermissionPolicy, type Workspace } from '@baton/spawner';
import type { Claim } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';

/** The task of its batch that an agent is at; changes with each task of the batch. */
export interface Current {
  taskId: string;
}

/** What an agent asks leave for is denied outside of its worktree; inside, plugins may deny it. */
export function permissionPolicy(
  ctx: Pick<WorkerContext, 'plugins' | 'log'>,
  options: {
    claim: Pick<Claim, 'run' | 'sessionId'>;
    workspace: Pick<Workspace, 'path'>;
    current: Current;
    /** Called when a call was denied: the agent continues without it. */
    onDenied?: () => void;
  },
): PermissionPolicy {
  const { claim, workspace, current, onDenied } = options;
  const deny = (): 'deny' => {
    onDenied?.();
    return 'deny';
  };
  return async (request) => {
    if (!isInside(workspace.path, request)) return deny();
    const asked = {
      runId: claim.run.id,
      taskId: current.taskId,
      sessionId: claim.sessionId,
      title: request.title,
      kind: request.kind,
    };
    const outcome = await ctx.plugins?.intercept('agent:permission', asked);
    if (!outcome || outcome.ok) return 'allow';
    ctx.log.warn('a plugin denied a permission', { ...asked, plugin: outcome.by, reason: outcome.reason });
    return deny();
  };
}
