import { retention, type Log, type RepoConfig } from '@baton/contracts';
import type { PluginBus } from '@baton/plugins';
import type { KeepRules } from '@baton/spawner';
import { keepRules } from '@baton/worker';

import type { Call } from '../terminal/call.ts';
import { noteAtWork } from '../project/at-work.ts';
import { openProjectStore, type StoreAccess } from '../project/open-store.ts';
import type { Project } from '../project/project.ts';
import { makeStateFolder } from '@baton/service/state-folder';
import { systemClock } from '@baton/service/system';
import { openFileLog } from './file-log.ts';
import { openPlugins } from './open-plugins.ts';

/** What a run is carried out with: the store, the log and the plugins. Ended in reverse order. */
export interface Engine extends AsyncDisposable {
  access: StoreAccess;
  log: Log;
  plugins: PluginBus | null;
  /** How long what is over is kept in the state folder. */
  keep: KeepRules;
}

/** Opens store, log and plugins of a project. @throws as `openProjectStore`, STATE_UNWRITABLE, PLUGIN_INVALID */
export async function openEngine(
  call: Call,
  { project, config }: { project: Project; config: RepoConfig },
): Promise<Engine> {
  // With a Postgres of one's own, nothing else would say so before the work begins.
  await makeStateFolder(project.state.dir);
  const note = noteAtWork(project.state.dir);
  const access = await openProjectStore(call, project).catch((error: unknown) => {
    note[Symbol.dispose]();
    throw error;
  });
  const logFile = await openFileLog(project.state.logsDir, {
    name: `run-${process.pid}`,
    clock: systemClock,
  });
  const closeBoth = async () => {
    await access[Symbol.asyncDispose]();
    await logFile.close();
    note[Symbol.dispose]();
  };
  try {
    const plugins = await openPlugins({ config, project, store: access.store, log: logFile.log });
    return {
      access,
      log: logFile.log,
      plugins: plugins.bus,
      keep: keepRules(config.retention ?? retention.parse({})),
      async [Symbol.asyncDispose]() {
        try {
          await plugins[Symbol.asyncDispose]();
        } finally {
          await closeBoth();
        }
      },
    };
  } catch (error) {
    await closeBoth();
    throw error;
  }
}
