import { setTimeout as delay } from 'node:timers/promises';

import type { Call } from '../cli.ts';
import type { StoreAccess } from '../open-store.ts';
import { exitCodes } from '../render-error.ts';
import { handleInterrupts } from '../run/interrupt.ts';
import { startChild, type Child } from './child.ts';
import { refuseBusyPort } from './port.ts';

/** How long workers let their agents finish after the first Ctrl-C, unless BATON_DRAIN_SECONDS says otherwise. */
const defaultDrainSeconds = '30';
const readyTimeoutMs = 30_000;
const pollMs = 100;

interface ServiceOptions {
  port: number;
  /** Worker processes. */
  workers: number;
  /** Agents at once in each; the worker's own default when absent. */
  capacity: number | undefined;
}

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
  try {
    children.push(...startAll(call, access, options));
    const firstEnd = Promise.race(children.map((child) => child.ended.then((code) => ({ child, code }))));
    await Promise.race([firstEnd, announce(call, access, { children, port: options.port, signal: stop.signal })]);
    const first = await watch(access, firstEnd);
    if (stop.signal.aborted) return exitCodes.ok;
    call.out.warn(`${first.child.name} ended by itself (${first.code ?? 'killed'}); stopping the rest.`);
    return exitCodes.unfinished;
  } finally {
    for (const child of children) child.signal('SIGTERM');
    await Promise.all(children.map((child) => child.ended));
    forget();
  }
}

function startAll(call: Call, access: StoreAccess, { port, workers, capacity }: ServiceOptions): Child[] {
  const env = {
    ...call.env.all,
    DATABASE_URL: access.url,
    BATON_HOME: call.env.home,
    BATON_PORT: String(port),
    BATON_DRAIN_SECONDS: call.env.all['BATON_DRAIN_SECONDS'] ?? defaultDrainSeconds,
    ...(capacity === undefined ? {} : { BATON_CAPACITY: String(capacity) }),
  };
  const server = startChild(call, { name: 'server', entry: '@baton/server/main', env });
  const rest = Array.from({ length: workers }, (_, index) => {
    const name = `worker-${index + 1}`;
    return startChild(call, { name, entry: '@baton/worker/main', env });
  });
  return [server, ...rest];
}

/** Tells of each process when it is ready. */
async function announce(
  call: Call,
  access: StoreAccess,
  { children, port, signal }: { children: readonly Child[]; port: number; signal: AbortSignal },
): Promise<void> {
  const tell = (child: Child, url?: string) =>
    call.out.line({ ready: true, name: child.name, pid: child.pid, ...(url === undefined ? {} : { url }) }, (colors) =>
      `${colors.green('✔')} ${child.name} is ready${url === undefined ? '' : ` at ${colors.bold(url)}`} ${colors.dim(`(pid ${child.pid})`)}`,
    );
  const waiting = new Set(children);
  const url = `http://127.0.0.1:${port}`;
  for (let waitedMs = 0; waiting.size > 0 && !signal.aborted; waitedMs += pollMs) {
    const online = await access.store.workers();
    for (const child of waiting) {
      const ready = child.name === 'server' ? await answers(`${url}/readyz`) : online.some((worker) => worker.pid === child.pid && worker.status === 'online');
      if (!ready) continue;
      waiting.delete(child);
      tell(child, child.name === 'server' ? url : undefined);
    }
    if (waitedMs > readyTimeoutMs) {
      const names = [...waiting].map((child) => child.name).join(', ');
      call.out.warn(`${names} did not get ready within ${readyTimeoutMs / 1000} s; see the lines above.`);
      return;
    }
    await delay(pollMs);
  }
}

/** Waits for the first child to end, and starts a killed embedded database again meanwhile. */
async function watch<T>(access: StoreAccess, firstEnd: Promise<T>): Promise<T> {
  const timer = setInterval(() => void access.ensureRunning().catch(() => undefined), 1_000);
  try {
    return await firstEnd;
  } finally {
    clearInterval(timer);
  }
}

async function answers(url: string): Promise<boolean> {
  return fetch(url, { signal: AbortSignal.timeout(1_000) }).then(
    (response) => response.ok,
    () => false,
  );
}
