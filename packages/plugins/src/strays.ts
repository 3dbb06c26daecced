import { AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';

/** Whose code runs. */
export interface Owner {
  /** Something failed that no call of the plugin waited for. */
  strayed(error: unknown): void;
}

/** The module of a plugin, whose code runs before there is a host. */
export interface ModuleOwner extends Owner {
  /** What strayed before the module was in use, oldest first; at most 20. */
  readonly strays: readonly unknown[];
  /** From now on the host gets what strays, and first what strayed before. */
  handTo(host: Owner): void;
}

const keptStrays = 20;
const owners = new AsyncLocalStorage<Owner>();
let isKept = false;

/** Runs code of a plugin: what it starts and does not wait for is its own, too. */
export function runAs<T>(owner: Owner, act: () => T): T {
  return owners.run(owner, act);
}

/** Whether what runs now is code of a plugin, or was started by it. */
export function isOwned(): boolean {
  return owners.getStore() !== undefined;
}

/** Makes the owner of one module: its code runs once in a process, however often it is loaded. */
export function moduleOwner(): ModuleOwner {
  const strays: unknown[] = [];
  let user: Owner | null = null;
  return {
    strays,
    strayed(error) {
      if (user !== null) user.strayed(error);
      else if (strays.length < keptStrays) strays.push(error);
    },
    handTo(host) {
      user = host;
      for (const error of strays.splice(0)) host.strayed(error);
    },
  };
}

/**
 * Keeps the process when a promise, timer or socket of a plugin fails and nothing waits for it: its plugin gets the error. Every other
 * error ends the process as before. A plugin that calls `process.exit` fails instead: its code would pass for the
 * outcome of a run. Once in a process; later calls do nothing.
 */
export function keepStrays(): void {
  if (isKept) return;
  isKept = true;
  process.on('uncaughtException', onException);
  process.on('unhandledRejection', onRejection);
  const { exit } = process;
  process.exit = (code) => {
    if (!isOwned()) return exit.call(process, code);
    throw new Error(`it called process.exit(${code ?? ''}), which would end Baton`);
  };
  syncBuiltinESMExports(); // for `import { exit } from 'node:process'`
}

function onRejection(error: unknown): void {
  const owner = owners.getStore();
  if (owner !== undefined) owner.strayed(error);
  // Others that listen decide; without them it counts as thrown.
  else if (process.listenerCount('unhandledRejection') === 1) rethrow(error);
}

function onException(error: unknown): void {
  const owner = owners.getStore();
  if (owner !== undefined) return owner.strayed(error);
  if (process.listenerCount('uncaughtException') > 1) return;
  // Now Node prints it and ends the process.
  process.off('uncaughtException', onException);
  rethrow(error);
}

function rethrow(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
