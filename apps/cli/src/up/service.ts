import { setTimeout as delay } from 'node:timers/promises';

import { z } from 'zod';

import type { Call } from '../terminal/call.ts';
import type { StoreAccess } from '../project/open-store.ts';
import { exitCodes } from '../terminal/render-error.ts';
import type { Kept } from '../record/retention.ts';
import { handleInterrupts } from '../run/interrupt.ts';
import { startChild, type Child } from './child.ts';
import { refuseBusyPort } from './port.ts';
import { startRounds } from './rounds.ts';
import { settingsVariables, type RepositorySettings } from './settings.ts';

/** How long workers let their agents finish after the first Ctrl-C, unless BATON_DRAIN_SECONDS says otherwise. */
const defaultDrainSeconds = '30';
const readyTimeoutMs = 30_000;
const pollMs = 100;

/** What `baton up` starts. */
export interface ServiceOptions {
  port: number;
  /** Worker processes. */
  workers: number;
  /** Agents at once in each; the worker's own default when absent. */
  capacity: number | undefined;
  /** What the repository around configures, if there is one. */
  repository: RepositorySettings | null;
  /** Secrets of the webhook in place of those in the environment. */
  webhookSecrets: string | undefined;
  /** How long what is over is kept, and where history goes; null: no place is named. */
  retention: { kept: Kept; dir: string } | null;
}

const readyLine = z.object({ ready: z.literal(true), url: z.string() });

/**
 * Runs server and workers as child processes until a signal comes or one of them ends by itself.
 * @returns the exit code
 * @throws PORT_IN_USE
 */
export async function runService(call: Call, access: StoreAccess, options: ServiceOptions): Promise<number> {
  await refuseBusyPort(options.port);
  const children: Child[] = [];
  const stop = new AbortController();
  const forget = handleInterrupts({
    onFirst: () => {
      call.out.note('Stopping: agents may finish. Press Ctrl-C again to stop them.');
      stop.abort();
      for (const child of children) child.signal('SIGTERM');
    },
    onSecond: () => {
      for (const child of children) child.signal(child.name === 'server' ? 'SIGKILL' : 'SIGINT');
    },
  });
  const rounds = options.retention && startRounds(call, access, options.retention);
  try {
    const env = environment(call, access, options);
    const forServer = { ...env, ...secretVariables(call, options) };
    children.push(startChild(call, { name: 'server', entry: '@baton/server/main', env: forServer }));
    for (let index = 1; index <= options.workers; index += 1) {
      children.push(startChild(call, { name: `worker-${index}`, entry: '@baton/worker/main', env }));
    }
    const firstEnd = Promise.race(children.map((child) => endOf(call, { child, signal: stop.signal })));
    await Promise.race([firstEnd, announce(call, access, { children, signal: stop.signal })]);
    // The database is looked after until the last of them has drained.
    const stopped = new Promise<null>((resolve) => {
      const wait = () => void Promise.all(children.map((child) => child.ended)).then(() => resolve(null));
      if (stop.signal.aborted) wait();
      else stop.signal.addEventListener('abort', wait);
    });
    const first = await watch(access, Promise.race([firstEnd, stopped]));
    if (first === null || stop.signal.aborted) return exitCodes.ok;
    call.out.warn(`${first.child.name} ended by itself (${first.code ?? 'killed'}); stopping the rest.`);
    return exitCodes.unfinished;
  } finally {
    stop.abort();
    for (const child of children) child.signal('SIGTERM');
    await Promise.all(children.map((child) => child.ended));
    await rounds?.stop();
    call.out.note('Stopped.');
    forget();
  }
}

/** How a child ended by itself. A worker that was drained in the store has ended in good order: the others continue. */
async function endOf(
  call: Call,
  { child, signal }: { child: Child; signal: AbortSignal },
): Promise<{ child: Child; code: number | null }> {
  const code = await child.ended;
  if (!signal.aborted && (child.name === 'server' || code !== 0)) return { child, code };
  if (!signal.aborted) call.out.note(`${child.name} has ended: it was drained. The others continue.`);
  return new Promise(() => undefined);
}

/** The environment of the processes: the store, and what the repository configures. */
function environment(call: Call, access: StoreAccess, options: ServiceOptions): Record<string, string> {
  const { port, capacity, repository } = options;
  // Only the server checks signatures; agents are children of the workers.
  const { BATON_WEBHOOK_SECRETS: _, ...given } = call.env.all;
  return {
    ...given,
    DATABASE_URL: access.url,
    BATON_HOME: call.env.home,
    BATON_PORT: String(port),
    BATON_DRAIN_SECONDS: given['BATON_DRAIN_SECONDS'] ?? defaultDrainSeconds,
    ...(capacity === undefined ? {} : { BATON_CAPACITY: String(capacity) }),
    ...(repository && settingsVariables(repository, given)),
  };
}

function secretVariables(call: Call, { webhookSecrets }: ServiceOptions): Record<string, string> {
  const secrets = webhookSecrets ?? call.env.all['BATON_WEBHOOK_SECRETS'];
  return secrets === undefined ? {} : { BATON_WEBHOOK_SECRETS: secrets };
}

/** The server says on stdout where it is; a worker enters itself into the store. */
async function announce(
  call: Call,
  access: StoreAccess,
  { children, signal }: { children: readonly Child[]; signal: AbortSignal },
): Promise<void> {
  const waiting = new Set(children);
  const tell = (child: Child, url?: string) => {
    if (!waiting.delete(child)) return;
    call.out.line(
      { ready: true, name: child.name, pid: child.pid, ...(url === undefined ? {} : { url }) },
      (colors) =>
        `${colors.green('✔')} ${child.name} is ready${url === undefined ? '' : ` at ${colors.bold(url)}`} ${colors.dim(`(pid ${child.pid})`)}`,
    );
  };
  children[0]?.onLine((line) => {
    const url = readyUrl(line);
    if (url !== undefined && children[0]) tell(children[0], url);
  });
  for (let waitedMs = 0; waiting.size > 0 && !signal.aborted; waitedMs += pollMs) {
    const online = (await access.store.workers.list()).filter((worker) => worker.status === 'online');
    for (const child of waiting) if (online.some((worker) => worker.pid === child.pid)) tell(child);
    if (waitedMs === readyTimeoutMs) {
      const names = [...waiting].map((child) => child.name).join(', ');
      call.out.warn(`${names} did not get ready within ${readyTimeoutMs / 1000} s; see the lines above.`);
    }
    await delay(pollMs);
  }
  if (!signal.aborted && (await access.store.keys.list()).length === 0) {
    call.out.note('No key for the API exists yet; make one with `baton keys create <name>`.');
  }
}

function readyUrl(line: string): string | undefined {
  try {
    return readyLine.parse(JSON.parse(line)).url;
  } catch {
    return undefined; // not the line that is waited for
  }
}

/** Waits for the first child to end; until then it restarts an embedded database that was killed. */
async function watch<T>(access: StoreAccess, firstEnd: Promise<T>): Promise<T> {
  const timer = setInterval(() => void access.ensureRunning().catch(() => undefined), 1_000);
  try {
    return await firstEnd;
  } finally {
    clearInterval(timer);
  }
}
