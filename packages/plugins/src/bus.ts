import { BatonError, type Clock, type Log } from '@baton/contracts';
import { checkBusOptions } from './checked.ts';
import { createHost, type Host, type PluginEntry } from './host.ts';
import { interceptAll, type InterceptResult } from './intercept.ts';
import type { InterceptorHook, InterceptorPayloads } from './interceptor-hooks.ts';
import type { LaneReport } from './lane.ts';
import { failureText } from './failure-text.ts';
import { keepStrays } from './strays.ts';
import { createPump, type FeedSource, type Pump } from './pump.ts';

/** What a bus is made of. */
export interface PluginBusOptions {
  /** In the order in which they are set up and asked. */
  plugins: readonly PluginEntry[];
  log: Log;
  clock: Clock;
  /** Absolute folder below which each plugin may write, in a folder of its own name. */
  directory: string;
  /** Longest time for one answer of one handler; 5 000 when left out, five minutes at most. */
  deadlineMs?: number;
}

/** What went wrong with one plugin. */
export interface PluginFailure {
  plugin: string;
  error: unknown;
}

/** How one plugin fares. */
export interface PluginReport {
  name: string;
  version: string;
  state: Host['state'];
  /** True while its interceptors are cut off; observers have their own sign. */
  cutOff: boolean;
  interceptions: number;
  vetoes: number;
  failures: number;
  lastError: string | null;
  droppedLogLines: number;
  /** Of the pump that was made last; null without observers. */
  observers: LaneReport | null;
}

/** Plugins in use. */
export interface PluginBus {
  /**
   * Sets the plugins up, in order. One that fails is left out and reported, the others continue.
   * @throws PLUGIN_INVALID when a required one fails: nothing stays set up then; CONFLICT when it was called before
   */
  setup(): Promise<{ failures: PluginFailure[] }>;
  /**
   * Asks the interceptors of a hook. Never rejects for what a plugin does.
   * @throws CONFLICT before `setup` and after `teardown`, INVALID_INPUT for a hook that does not exist
   */
  intercept<Hook extends InterceptorHook>(
    hook: Hook,
    payload: InterceptorPayloads[Hook],
  ): Promise<InterceptResult<Hook>>;
  /** Makes the pump that feeds the observers; after `setup`. */
  feed(source: FeedSource): Pump;
  report(): PluginReport[];
  /** Stops the pumps, then tears the plugins down in reverse order; every one gets its turn. */
  teardown(): Promise<{ failures: PluginFailure[] }>;
}

/**
 * Makes a bus. Plugins run in this process and are isolated from one another by copies, deadlines and breakers; one that
 * blocks the thread blocks everyone, so use only plugins you trust.
 * @throws PLUGIN_INVALID when two plugins have one name, INVALID_INPUT for options that are none
 */
export function createPluginBus(options: PluginBusOptions): PluginBus {
  checkBusOptions(options);
  const { plugins, log, clock, directory, deadlineMs = 5_000 } = options;
  refuseDuplicates(plugins);
  const hosts = plugins.map((entry) => createHost(entry, { log, clock, deadlineMs, directory }));
  const pumps: Pump[] = [];

  async function teardown(): Promise<{ failures: PluginFailure[] }> {
    await Promise.all(pumps.map((pump) => pump.stop()));
    const failures: PluginFailure[] = [];
    for (const host of [...hosts].reverse()) {
      if (host.state === 'new' || host.state === 'stopped') continue;
      await host.teardown().catch((error: unknown) => failures.push({ plugin: host.plugin.name, error }));
    }
    return { failures };
  }

  return {
    async setup() {
      refuseSecond(hosts);
      if (hosts.length > 0) keepStrays();
      const failures: PluginFailure[] = [];
      for (const host of hosts) {
        const { name, required } = host.plugin;
        try {
          await host.setup();
        } catch (error) {
          host.state = 'failed';
          host.lastError = failureText(error);
          log.error('a plugin could not be set up', { plugin: name, error: host.lastError });
          failures.push({ plugin: name, error });
          if (!required) continue;
          await teardown();
          throw new BatonError(
            'PLUGIN_INVALID',
            `The plugin "${name}" is required and could not be set up: ${host.lastError}`,
            {
              fix: 'Correct its options under "plugins", or remove it there.',
              cause: error,
            },
          );
        }
      }
      return { failures };
    },
    intercept: (hook, payload) => interceptAll(hosts, { hook, payload, deadlineMs }),
    feed(source) {
      const pump = createPump(hosts, { source, clock, log, deadlineMs });
      pumps.push(pump);
      return pump;
    },
    report: () => {
      const lanes = pumps.at(-1)?.report() ?? {};
      return hosts.map((host) => reportOf(host, lanes[host.plugin.name] ?? null));
    },
    teardown,
  };
}

function reportOf(host: Host, observers: LaneReport | null): PluginReport {
  const { plugin, state, calls, lastError } = host;
  return {
    name: plugin.name,
    version: plugin.version,
    state,
    cutOff: host.breaker.isOpen,
    ...calls,
    lastError,
    droppedLogLines: host.droppedLogLines(),
    observers,
  };
}

/** What a plugin registers twice would be called twice. */
function refuseSecond(hosts: readonly Host[]): void {
  if (hosts.every(({ state }) => state === 'new')) return;
  throw new BatonError('CONFLICT', 'The plugins were set up before.', {
    fix: 'Call setup() once; make another bus to set them up again.',
  });
}

function refuseDuplicates(plugins: readonly PluginEntry[]): void {
  const seen = new Set<string>();
  for (const { plugin } of plugins) {
    if (seen.has(plugin.name)) {
      throw new BatonError('PLUGIN_INVALID', `Two plugins are called "${plugin.name}".`, {
        fix: 'Remove one of them under "plugins"; a plugin can be used once.',
      });
    }
    seen.add(plugin.name);
  }
}
