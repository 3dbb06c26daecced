import type { Plugin } from '../plugin.ts';
import { fileLog } from './file-log.ts';
import { taskGuard } from './task-guard.ts';

/** The plugins that come with Baton, by the names they have under `plugins` in `baton.yaml`. */
export const builtinPlugins: ReadonlyMap<string, Plugin> = new Map(
  [fileLog, taskGuard].map((plugin) => [plugin.name, plugin]),
);
