import { BatonError, parseInput, type Clock, type Log } from '@baton/contracts';
import path from 'node:path';
import { z } from 'zod';
import { boundedLog } from './bounded-log.ts';
import { createBreaker, type Breaker } from './breaker.ts';
import { withDeadline } from './deadline.ts';
import { failureText } from './failure-text.ts';
import { interceptorHooks } from './interceptor-hooks.ts';
import { isObserverHook } from './observer-hooks.ts';
import type { HandlerContext, InterceptOptions, Plugin, PluginApi } from './plugin.ts';
import { runAs, type ModuleOwner, type Owner } from './strays.ts';

/** A plugin with the options it is used with, not yet parsed. */
export interface PluginEntry {
  plugin: Plugin;
  options?: unknown;
  /** Of a plugin that was loaded from a module. */
  module?: ModuleOwner;
}

type Handler = (payload: unknown, context: HandlerContext) => unknown;

/** One plugin in use: what it registered and how it fares. */
export interface Host extends Owner {
  readonly plugin: Plugin;
  readonly breaker: Breaker;
  readonly observers: ReadonlyMap<string, readonly Handler[]>;
  readonly interceptors: ReadonlyMap<string, readonly { handler: Handler; options: InterceptOptions }[]>;
  state: 'new' | 'ready' | 'failed' | 'stopped';
  readonly calls: { interceptions: number; vetoes: number; failures: number };
  lastError: string | null;
  droppedLogLines(): number;
  /** Counts a failure of an interceptor, or of what no call waited for. Returns what failed, as text. */
  failed(error: unknown): string;
  setup(): Promise<void>;
  teardown(): Promise<void>;
}

/** What every host needs from the bus. */
export interface HostContext {
  log: Log;
  clock: Clock;
  deadlineMs: number;
  /** Absolute; each plugin gets a folder of its own in it. */
  directory: string;
}

const maxHandlers = 200;

/** Wraps a plugin: keeps what it registers, bounds what it logs and how long it takes. */
export function createHost(entry: PluginEntry, context: HostContext): Host {
  const { plugin } = entry;
  const { clock, deadlineMs } = context;
  const { log, dropped } = boundedLog(context.log, { plugin: plugin.name, clock });
  const directory = path.join(context.directory, plugin.name);
  const registrations = createRegistrations(plugin, (act) => runAs(host, act));
  const { observers, interceptors, teardowns, api } = registrations;
  const host: Host = {
    plugin,
    breaker: createBreaker({ clock }),
    observers,
    interceptors,
    state: 'new',
    calls: { interceptions: 0, vetoes: 0, failures: 0 },
    lastError: null,
    droppedLogLines: dropped,
    failed(error) {
      host.calls.failures += 1;
      host.lastError = failureText(error);
      host.breaker.failed();
      return host.lastError;
    },
    strayed(error) {
      log.error('it did not wait for something that failed', { error: host.failed(error) });
    },
    async setup() {
      entry.module?.handTo(host);
      const options = parseOptions(entry);
      registrations.open = true;
      try {
        const what = `The setup of the plugin "${plugin.name}"`;
        const setup = () => runAs(host, () => plugin.setup({ log, directory, ...api, options }));
        await withDeadline(setup, { ms: deadlineMs * 6, what });
        host.state = 'ready';
      } catch (error) {
        host.state = 'failed';
        throw error;
      } finally {
        registrations.open = false;
      }
    },
    async teardown() {
      host.state = 'stopped';
      await runAs(host, () => tearDown(plugin, teardowns.splice(0), { deadlineMs }));
    },
  };
  return host;
}

type Teardown = () => void | Promise<void>;

/** What a plugin registered. */
interface Registrations {
  readonly observers: Map<string, Handler[]>;
  readonly interceptors: Map<string, { handler: Handler; options: InterceptOptions }[]>;
  readonly teardowns: Teardown[];
  /** Handlers are taken only while it is open. */
  open: boolean;
  readonly api: Pick<PluginApi, 'observe' | 'intercept' | 'onTeardown'>;
}

/** @param run runs what the plugin registered as code of it */
function createRegistrations(plugin: Plugin, run: <T>(act: () => T) => T): Registrations {
  let count = 0;
  const register = (kind: string, hook: string, known: boolean) => {
    count += 1;
    if (!registrations.open) throw invalid(plugin, `it registers ${kind} "${hook}" after its setup`);
    if (!known) throw invalid(plugin, `there is no ${kind} hook "${hook}"`);
    if (count > maxHandlers) throw invalid(plugin, `it registers more than ${maxHandlers} handlers`);
  };
  const owned =
    (handler: Handler): Handler =>
    (payload, context) =>
      run(() => handler(payload, context));
  const add = <T>(map: Map<string, T[]>, hook: string, item: T) =>
    map.set(hook, [...(map.get(hook) ?? []), item]);
  const registrations: Registrations = {
    observers: new Map(),
    interceptors: new Map(),
    teardowns: [],
    open: false,
    api: {
      observe(hook, handler) {
        register('observer', hook, isObserverHook(hook));
        checkHandler(plugin, hook, handler);
        add(registrations.observers, hook, owned(handler as Handler));
      },
      intercept(hook, options, handler) {
        register('interceptor', hook, Object.hasOwn(interceptorHooks, hook));
        checkOptions(plugin, hook, options);
        checkHandler(plugin, hook, handler);
        add(registrations.interceptors, hook, { handler: owned(handler as Handler), options });
      },
      onTeardown: (teardown) => void registrations.teardowns.push(teardown),
    },
  };
  return registrations;
}

/** Of callers that no type checker saw. @throws PLUGIN_INVALID */
function checkHandler(plugin: Plugin, hook: string, handler: unknown): void {
  if (typeof handler !== 'function') throw invalid(plugin, `its handler of "${hook}" is no function`);
}

const interceptOptions = z.strictObject({
  onError: z.enum(['allow', 'deny']),
  deadlineMs: z.number().positive().optional(),
});

/** @throws PLUGIN_INVALID */
function checkOptions(plugin: Plugin, hook: string, options: Partial<InterceptOptions> | undefined): void {
  if (options?.onError !== 'allow' && options?.onError !== 'deny')
    throw invalid(plugin, `its interceptor of "${hook}" must say onError: 'allow' or 'deny'`);
  parseInput(interceptOptions, options, {
    what: `How the plugin "${plugin.name}" intercepts "${hook}"`,
    code: 'PLUGIN_INVALID',
  });
}

/** Every teardown gets its turn, the last registered first. @throws what they threw */
async function tearDown(
  { name }: Plugin,
  teardowns: readonly Teardown[],
  { deadlineMs }: { deadlineMs: number },
): Promise<void> {
  const errors: unknown[] = [];
  for (const teardown of [...teardowns].reverse()) {
    const what = `The teardown of the plugin "${name}"`;
    await withDeadline(teardown, { ms: deadlineMs, what }).catch((error: unknown) => errors.push(error));
  }
  if (errors.length > 0)
    throw errors.length === 1 ? errors[0] : new AggregateError(errors, `${name}: teardown failed`);
}

/**
 * Parses the options of a plugin by its own schema.
 * @throws PLUGIN_INVALID naming what is wrong
 */
export function parseOptions(entry: PluginEntry): unknown {
  const { plugin, options } = entry;
  if (plugin.options !== null) {
    return parseInput(plugin.options, options ?? {}, {
      what: `An option of the plugin "${plugin.name}"`,
      code: 'PLUGIN_INVALID',
    });
  }
  if (options === undefined || options === null) return undefined;
  throw invalid(plugin, 'it takes no options');
}

function invalid(plugin: Plugin, what: string): BatonError {
  return new BatonError('PLUGIN_INVALID', `The plugin "${plugin.name}" is not valid: ${what}.`, {
    fix: 'Correct the plugin or its entry under "plugins", or remove it there.',
  });
}
