import path from 'node:path';
import { BatonError, type Log } from '@baton/contracts';
import { createPluginBus, loadPlugins, type PluginBus } from '@baton/plugins';
import { migrate, openStore } from '@baton/task-store';
import { readWorkerEnv, type WorkerEnv } from './env.ts';
import { createLog } from './log.ts';
import { systemClock, systemIds } from './system.ts';
import { createWorker } from './worker.ts';

/** A worker process: works until SIGTERM (drain) or SIGINT (stop at once; work is salvaged). */
async function main(): Promise<void> {
  const env = readWorkerEnv();
  const log = createLog({ level: env.logLevel, name: env.name });
  const plugins = await openPlugins(env, { log });
  try {
    await work(env, { log, plugins });
  } finally {
    await plugins.teardown();
  }
}

async function work(env: WorkerEnv, { log, plugins }: { log: Log; plugins: PluginBus }): Promise<void> {
  await migrate(env.databaseUrl);
  const store = await openStore({ url: env.databaseUrl, clock: systemClock, ids: systemIds });
  const worker = createWorker({
    store,
    stateDir: env.stateDir,
    name: env.name,
    capacity: env.capacity,
    labels: env.labels,
    timing: { headWaitMs: env.headWaitMs },
    operatorEnv: env.operatorEnv,
    isolation: env.isolation,
    clock: systemClock,
    ids: systemIds,
    log,
    plugins,
  });
  await worker.start();
  log.info('worker ready', { id: worker.id, capacity: env.capacity, labels: env.labels });
  const signal = await new Promise<string>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => resolve(name));
  });
  log.info('worker ends', { signal });
  if (signal === 'SIGTERM') {
    process.once('SIGINT', () => void worker.stop());
    await worker.drain({ deadlineMs: env.drainMs });
  } else {
    await worker.stop();
  }
  await store.close();
}

/** Interceptors only: the server feeds the observers. @throws PLUGIN_INVALID */
async function openPlugins(env: WorkerEnv, { log }: { log: Log }): Promise<PluginBus> {
  const plugins = createPluginBus({
    plugins: await loadPlugins({ entries: env.plugins, resolveFrom: env.pluginsFrom }),
    directory: path.join(env.stateDir, 'plugins'),
    clock: systemClock,
    log,
  });
  await plugins.setup();
  return plugins;
}

main().catch((cause: unknown) => {
  const text = BatonError.is(cause)
    ? `${cause.code}: ${cause.message}${cause.fix ? `\nfix: ${cause.fix}` : ''}`
    : cause instanceof Error
      ? (cause.stack ?? cause.message)
      : String(cause);
  process.stderr.write(`error ${text}\n`);
  process.exitCode = BatonError.is(cause) ? 2 : 1;
});
