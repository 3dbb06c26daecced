import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { connectMs, settleSession } from './session.ts';

const channels = ['work', 'events'] as const;
/** What listeners can wait for. */
export type Channel = (typeof channels)[number];

const everyMs = 20;
const pollMs = 1000;
const reconnectMs = 250;
const hangUpMs = 1000;

const channelName = (channel: Channel) => `baton_${channel}`;

/** For a statement that notifies all listeners, see {@link Notifier.mayNotify}. */
export const notifyAll = channels.map((channel) => `pg_notify('${channelName(channel)}', '')`).join(', ');

/** Notifies listeners: at once, then at most once per 20 ms and process. A lost notification is no harm: listeners poll. */
export interface Notifier {
  /** Sends NOTIFY on its own, outside of all transactions. */
  wake(channel: Channel): void;
  /**
   * True when nothing was said for 20 ms: a statement that has something to tell may say it itself and save a round trip.
   * Not more often, since inside transactions every commit queues for Postgres's one notification lock.
   */
  mayNotify(): boolean;
  /** Sends what waits, and nothing more. */
  stop(): Promise<void>;
}

/** Makes the notifier. */
export function createNotifier(pool: pg.Pool): Notifier {
  const waiting = new Set<Channel>();
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<unknown> = Promise.resolve();
  let stopped = false;
  const rest = () => {
    timer = setTimeout(send, everyMs);
    timer.unref();
  };
  const send = () => {
    timer = undefined;
    if (waiting.size === 0) return;
    if (!stopped) rest();
    const names = [...waiting].map(channelName);
    waiting.clear();
    sending = pool
      .query({
        name: 'notify',
        text: `SELECT pg_notify(c, '') FROM unnest($1::text[]) c`,
        values: [names],
      })
      .catch(() => undefined);
  };
  return {
    wake(channel) {
      if (stopped) return;
      // What is woken in one go leaves together.
      if (waiting.size === 0 && timer === undefined) queueMicrotask(() => timer === undefined && send());
      waiting.add(channel);
    },
    mayNotify() {
      if (stopped || waiting.size > 0 || timer !== undefined) return false;
      rest();
      return true;
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      send();
      await sending;
    },
  };
}

/**
 * Calls `wake` whenever the channel is woken and every second besides: polling is the truth, listening only makes it quick.
 * Listens on a connection of its own, which is opened again when Postgres restarts.
 * @returns how to stop; resolves when nothing calls `wake` any more
 */
export function listen(url: string, channel: Channel, wake: () => void): () => Promise<void> {
  const stop = new AbortController();
  const poll = setInterval(wake, pollMs);
  poll.unref();
  const listening = keepListening({ url, channel, wake, signal: stop.signal });
  return async () => {
    clearInterval(poll);
    stop.abort();
    await listening;
  };
}

async function keepListening(options: {
  url: string;
  channel: Channel;
  wake: () => void;
  signal: AbortSignal;
}): Promise<void> {
  while (!options.signal.aborted) {
    await listenOnce(options).catch(() => undefined);
    await delay(reconnectMs, undefined, { signal: options.signal, ref: false }).catch(() => undefined);
  }
}

async function listenOnce(options: {
  url: string;
  channel: Channel;
  wake: () => void;
  signal: AbortSignal;
}): Promise<void> {
  const client = new pg.Client({
    connectionString: options.url,
    keepAlive: true,
    connectionTimeoutMillis: connectMs,
    query_timeout: connectMs,
  });
  const ended = new Promise<void>((resolve) => {
    client.on('error', () => resolve());
    client.on('end', () => resolve());
    options.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  try {
    await Promise.race([begin(client, options), ended]);
    await ended;
  } finally {
    await hangUp(client);
  }
}

async function begin(client: pg.Client, { channel, wake }: { channel: Channel; wake: () => void }) {
  await client.connect();
  await settleSession(client);
  client.on('notification', wake);
  await client.query(`LISTEN ${channelName(channel)}`);
  // What happened before the connection was open was not heard.
  wake();
}

/** Ends a connection; a server that does not take the end of it is not waited for. */
export async function hangUp(client: pg.Client): Promise<void> {
  const late = delay(hangUpMs, undefined, { ref: false });
  await Promise.race([client.end().catch(() => undefined), late]);
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}
