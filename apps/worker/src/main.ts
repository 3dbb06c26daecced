import path from 'node:path';
import { BatonError, type Log } from '@baton/contracts';
import { createPluginBus, loadPlugins, type PluginBus } from '@baton/plugins';
import { migrate, openStore } from '@baton/task-store';
import { readWorkerEnv, type WorkerEnv } from './env.ts';
import { createLog, keepOwnersRights, makeStateFolder, systemClock, systemIds } from '@baton/service';
import { createWorker, type Worker } from './worker.ts';

/** A worker process: works until it is drained (SIGTERM, or in the store) or stopped (SIGINT, or a second signal; work is salvaged). */
async function main(): Promise<void> {
  keepOwnersRights();
  const env = readWorkerEnv();
  await makeStateFolder(env.stateDir);
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
  const store = await openStore({
    url: env.databaseUrl,
    // Each connection plans its first statements; calls of many agents go together on a few.
    poolSize: 5,
    clock: systemClock,
    ids: systemIds,
    answerAfterLogged: env.answerAfterLogged,
  });
  const worker = createWorker({
    store,
    stateDir: env.stateDir,
    name: env.name,
    capacity: env.capacity,
    labels: env.labels,
    timing: { headWaitMs: env.headWaitMs, requestMs: env.requestMs },
    operatorEnv: env.operatorEnv,
    isolation: env.isolation,
    clock: systemClock,
    ids: systemIds,
    log,
    plugins,
    ...(env.keep === undefined ? {} : { keep: env.keep }),
  });
  await worker.start();
  // From here on a signal ends it cleanly: who reads that it is ready may send one at once.
  const ended = untilEnded(worker, { log, drainMs: env.drainMs });
  log.info('worker ready', { id: worker.id, capacity: env.capacity, labels: env.labels });
  await ended;
  log.info('worker ended', { left: worker.left() });
  await store.close();
}

/** SIGTERM, or a word in the store: drain. SIGINT, or a second signal of either kind: stop at once. */
async function untilEnded(worker: Worker, { log, drainMs }: { log: Log; drainMs: number }): Promise<void> {
  let received = 0;
  const signalled = new Promise<'drain' | 'stop'>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const)
      process.on(name, () => {
        received += 1;
        log.info(received === 1 ? 'worker ends' : 'worker ends at once', { signal: name });
        if (received > 1) void worker.stop();
        resolve(name === 'SIGTERM' ? 'drain' : 'stop');
      });
  });
  const drained = worker.asked.then(() => {
    log.info('worker was drained; it ends when its agents have');
    void signalled.then(() => worker.stop());
    return 'drain' as const;
  });
  const how = await Promise.race([signalled, drained]);
  await (how === 'drain' ? worker.drain({ deadlineMs: drainMs }) : worker.stop());
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
