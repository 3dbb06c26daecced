import { BatonError, draftTask, type newTask, type TaskDraft } from '@baton/contracts';
import type { PluginBus } from '@baton/plugins';
import type { Store, Task } from '@baton/task-store';
import type { z } from 'zod';

/** Creates tasks after every `task:beforeCreate` interceptor has seen them. @throws PLUGIN_VETO naming the plugin */
export async function createTasks(
  ctx: { store: Store; plugins: PluginBus },
  request: {
    runId: string;
    drafts: readonly z.output<typeof newTask>[];
    planned: boolean;
    actor: string;
    commandId?: string;
  },
): Promise<Task[]> {
  const { runId, planned, actor, drafts: _, ...command } = request;
  const stamped = request.drafts.map((given) => {
    const draft = draftTask(given, { kind: 'api', by: actor, trusted: true });
    return { ...draft, source: sourceOfCaller(draft, actor) };
  });
  const drafts = (await interceptDrafts(ctx.plugins, { runId, drafts: stamped })).map((draft, at) => ({
    ...draft,
    source: stamped[at]?.source ?? sourceOfCaller(draft, actor),
  }));
  return ctx.store.tasks.add(runId, { actor, reason: 'created by the API', drafts, planned, ...command });
}

/** Where a task comes from is known by the key that it came with, not by what it says; only "not trusted" is taken from it. */
function sourceOfCaller(draft: TaskDraft, actor: string): TaskDraft['source'] {
  return { kind: 'api', by: actor, trusted: draft.source.trusted };
}

/**
 * Passes drafts through the interceptors; they may change or refuse them.
 * @param request.runId null: the run is not created yet
 * @throws PLUGIN_VETO naming the plugin
 */
export async function interceptDrafts(
  plugins: Pick<PluginBus, 'intercept'>,
  request: { runId: string | null; drafts: readonly TaskDraft[] },
): Promise<TaskDraft[]> {
  const passed: TaskDraft[] = [];
  for (const draft of request.drafts) {
    const outcome = await plugins.intercept('task:beforeCreate', { runId: request.runId, draft });
    if (!outcome.ok) {
      throw new BatonError(
        'PLUGIN_VETO',
        `Plugin ${outcome.by} refused the task "${draft.title}": ${outcome.reason}`,
        { at: draft.key, fix: 'Change the task, or the options of the plugin.' },
      );
    }
    passed.push(outcome.payload.draft);
  }
  return passed;
}
