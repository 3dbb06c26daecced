import { BatonError, type Log, type RepoConfig, type TaskDraft } from '@baton/contracts';
import { createPluginBus, loadPlugins, type PluginBus } from '@baton/plugins';
import type { Store } from '@baton/task-store';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import type { Project } from '../project/project.ts';
import { systemClock } from '@baton/service/system';

/** The plugins of `baton.yaml`, at work: observers are fed until the end of the block. */
export interface OpenPlugins extends AsyncDisposable {
  /** Null without plugins. */
  bus: PluginBus | null;
}

/** Observers are given this long to see the last events; the next run continues where they stopped. */
const drainMs = 5_000;

/** Sets the plugins of a repository up and feeds their observers. @throws PLUGIN_INVALID */
export async function openPlugins({
  config,
  project,
  store,
  log,
}: {
  config: Pick<RepoConfig, 'plugins'>;
  project: Project;
  store: Store;
  log: Log;
}): Promise<OpenPlugins> {
  if (config.plugins.length === 0) return { bus: null, [Symbol.asyncDispose]: async () => undefined };
  const plugins = await loadPlugins({ entries: config.plugins, resolveFrom: project.root });
  const bus = createPluginBus({
    plugins,
    log,
    clock: systemClock,
    directory: path.join(project.state.dir, 'plugins'),
  });
  await bus.setup();
  const pump = bus.feed({
    read: (after, limit) => store.feed.read({ after, limit }),
    getCursor: (name) => store.feed.getCursor(name),
    setCursor: (name, position) => store.feed.setCursor(name, position),
  });
  pump.start();
  return {
    bus,
    async [Symbol.asyncDispose]() {
      await store.feed.sequence();
      const over = new AbortController();
      const late = delay(drainMs, undefined, { signal: over.signal }).catch(() => undefined);
      await Promise.race([pump.drain(), late]);
      over.abort();
      await bus.teardown();
    },
  };
}

/** Lets plugins change or refuse tasks before they are written. @throws PLUGIN_VETO */
export async function interceptDrafts(
  bus: PluginBus | null,
  drafts: readonly TaskDraft[],
): Promise<TaskDraft[]> {
  if (!bus) return [...drafts];
  const accepted: TaskDraft[] = [];
  for (const draft of drafts) {
    const answer = await bus.intercept('task:beforeCreate', { runId: null, draft });
    if (!answer.ok) {
      throw new BatonError(
        'PLUGIN_VETO',
        `The plugin ${answer.by} refuses the task ${draft.key}: ${answer.reason}`,
        {
          at: draft.key,
          fix: 'Change the task, or the plugin under "plugins" in baton.yaml.',
        },
      );
    }
    accepted.push(answer.payload.draft);
  }
  return accepted;
}
