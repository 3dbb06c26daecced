import path from 'node:path';
import type { Clock, Ids, Log } from '@baton/contracts';
import { createPluginBus, loadPlugins, type PluginBus, type Pump } from '@baton/plugins';
import { migrate, openStore, type Store } from '@baton/task-store';
import { listen } from './http/app.ts';
import { createHeadCheck } from './tasks/check-head.ts';
import type { ServerEnv } from './env.ts';
import { startEventHub } from './events/event-hub.ts';
import { createEventCounter } from './events/event-counter.ts';
import { createLog, makeStateFolder, startTicker, systemClock, systemIds } from '@baton/service';
import { isRemote, isSamePlace, ownPlace, type RepoPlace } from './tasks/repo-place.ts';
import { openTriggers } from './triggers/open-triggers.ts';
import { createSeats, createTurns } from './events/turns.ts';
import { ownVersion } from './version.ts';

/** A running server. */
export interface RunningServer {
  url: string;
  close(): Promise<void>;
}

/** What a server is given instead of its own. */
export interface ServerOptions {
  clock?: Clock;
  ids?: Ids;
  log?: Log;
  /** How long a request may take to arrive; 60 s when left out. */
  requestMs?: number;
  /** How long a statement waits for a lock; 10 s when left out. */
  lockMs?: number;
  /** How long a call waits until those before it are over; 30 s when left out. */
  turnMs?: number;
}

const sequenceMs = 100;
/** Calls of one key that run at once, and that may wait for their turn; live feeds that one key may have open. */
const callsAtOnce = 4;
const callsWaiting = 500;
const feedsOfKey = 50;

/**
 * Puts the server together and listens. What was opened before a failure is closed again.
 * @throws CONFIG_INVALID, DATABASE_*, MIGRATION_FAILED, PLUGIN_INVALID, PORT_IN_USE
 */
export async function startServer(env: ServerEnv, options: ServerOptions = {}): Promise<RunningServer> {
  const opened: (() => Promise<unknown>)[] = [];
  const close = async () => {
    const errors: unknown[] = [];
    // Every part gets its turn, whatever the one before did.
    for (const end of opened.splice(0).reverse()) await end().catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw new AggregateError(errors, 'The server did not end cleanly.');
  };
  try {
    return { url: await open(env, { ...options, onClose: (end) => opened.push(end) }), close };
  } catch (cause) {
    await close().catch(() => undefined);
    throw cause;
  }
}

/** Registers what closes a part when the server ends. */
type OnClose = (end: () => Promise<unknown>) => void;

async function open(env: ServerEnv, options: ServerOptions & { onClose: OnClose }): Promise<string> {
  const { clock = systemClock, ids = systemIds, onClose, lockMs = 10_000, turnMs = 30_000 } = options;
  const log = options.log ?? createLog({ level: env.logLevel, name: 'server' });
  await migrate(env.databaseUrl);
  const { databaseUrl: url, answerAfterLogged } = env;
  const store = await openStore({ url, clock, ids, answerAfterLogged, lockMs });
  onClose(() => store.close());
  // Without it a server answers all the same, but for commits that are named over HTTP, and plugins that keep files.
  await makeStateFolder(env.stateDir).catch((cause: unknown) => {
    log.warn('the state folder cannot be used', { folder: env.stateDir, why: String(cause) });
  });
  const plugins = await openPlugins(env, { clock, log });
  onClose(() => plugins.teardown());
  const counter = createEventCounter();
  const events = await startEventHub({ store, clock, log, onEvent: counter.count });
  onClose(() => events.stop());
  const pump = startPump(plugins, store);
  onClose(() => pump.stop());
  await startSequencer(store, { log, readers: [events, pump], onClose });
  const triggers = await openTriggers({ store, clock, log, plugins, env, turnMs });
  onClose(() => triggers.close());
  const ctx = {
    ...{ store, clock, ids, log, plugins, triggers, events, counter },
    webhookSecrets: env.webhookSecrets,
    heads: createHeadCheck({ clock, log, stateDir: env.stateDir, env: env.gitEnv }),
    version: ownVersion(),
    pinnedFor: (repo: RepoPlace) => (isSamePlace(repo, ownPlace(env)) ? env.runDefaults : null),
    turns: createTurns({ atOnce: callsAtOnce, waiting: callsWaiting, waitMs: turnMs }),
    feeds: createSeats({ each: feedsOfKey, what: 'live feeds' }),
  };
  const http = await listen(ctx, { ...env, requestMs: options.requestMs });
  onClose(() => http.close());
  return http.url;
}

function startPump(plugins: PluginBus, { feed }: Store): Pump {
  const pump = plugins.feed({
    read: (after, limit) => feed.read({ after, limit }),
    getCursor: (name) => feed.getCursor(name),
    setCursor: (name, position) => feed.setCursor(name, position),
  });
  pump.start();
  return pump;
}

/** Numbers the feed and wakes its readers. Servers and workers take turns under a lock. */
async function startSequencer(
  { feed }: Store,
  { log, readers, onClose }: { log: Log; readers: readonly { wake(): void }[]; onClose: OnClose },
): Promise<void> {
  const wakeReaders = (): void => {
    for (const reader of readers) reader.wake();
  };
  const sequencer = startTicker('numbering events', {
    everyMs: sequenceMs,
    log,
    run: async () => {
      if ((await feed.sequence()) > 0) wakeReaders();
    },
  });
  onClose(() => sequencer.stop());
  const onEvents = (): void => {
    sequencer.wake();
    wakeReaders();
  };
  onClose(await feed.onWake('events', onEvents));
}

async function openPlugins(env: ServerEnv, options: { clock: Clock; log: Log }): Promise<PluginBus> {
  const folder = env.repo === null || isRemote(env.repo) ? '.' : env.repo;
  const plugins = createPluginBus({
    plugins: await loadPlugins({ entries: env.plugins, resolveFrom: path.resolve(folder) }),
    directory: path.join(env.stateDir, 'plugins'),
    ...options,
  });
  await plugins.setup();
  return plugins;
}
