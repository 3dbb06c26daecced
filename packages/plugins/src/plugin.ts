import { BatonError, keyName, type Log } from '@baton/contracts';
import type { z } from 'zod';
import type { InterceptorAnswer, InterceptorHook, InterceptorPayloads } from './interceptor-hooks.ts';
import type { ObserverHook, ObserverPayloads } from './observer-hooks.ts';

const brand = Symbol.for('baton.plugin');

/** What a handler gets besides its payload. */
export interface HandlerContext {
  /** Aborted when the deadline is over: no caller waits for the handler any more. */
  signal: AbortSignal;
}

/** How an interceptor is called. */
export interface InterceptOptions {
  /** What it means when the handler throws, hangs or is cut off: `deny` for guards, `allow` for conveniences. */
  onError: 'allow' | 'deny';
  /** Longest time for an answer; at most the bus's own deadline, which also holds when left out. */
  deadlineMs?: number;
}

/** What a plugin is given to set itself up. Handlers can only be registered during `setup`. */
export interface PluginApi<Options = unknown> {
  /** As the plugin's own schema parsed them. */
  readonly options: Options;
  /** Lines are bounded in number and length. */
  readonly log: Log;
  /** Absolute folder that the plugin may write to. */
  readonly directory: string;
  /** Called for every event of the hook, at least once each, in order; throw to get it again. */
  observe<Hook extends ObserverHook>(
    hook: Hook,
    handler: (item: ObserverPayloads[Hook], context: HandlerContext) => void | Promise<void>,
  ): void;
  /** Called inline, in order of the plugins. */
  intercept<Hook extends InterceptorHook>(
    hook: Hook,
    options: InterceptOptions,
    handler: (
      payload: InterceptorPayloads[Hook],
      context: HandlerContext,
    ) => InterceptorAnswer<Hook> | Promise<InterceptorAnswer<Hook>>,
  ): void;
  /** Called when Baton stops, in reverse order. */
  onTeardown(teardown: () => void | Promise<void>): void;
}

/** A plugin as its author writes it. */
export interface PluginDefinition<Options> {
  /** Unique among the plugins in use; also names its cursor in the feed. */
  name: string;
  version: string;
  /** True: Baton does not start without it. For guards, whose absence would let through what they stop. */
  required?: boolean;
  /** Schema of its options; without one it takes none. Use `z.strictObject`. */
  options?: z.ZodType<Options>;
  setup(api: PluginApi<Options>): void | Promise<void>;
}

/** A plugin made by {@link definePlugin}. */
export interface Plugin {
  readonly name: string;
  readonly version: string;
  readonly required: boolean;
  readonly options: z.ZodType | null;
  setup(api: PluginApi): void | Promise<void>;
  readonly [brand]: true;
}

/**
 * Defines a plugin.
 * @throws PLUGIN_INVALID for a name or version of the wrong form
 */
export function definePlugin<Options = undefined>(definition: PluginDefinition<Options>): Plugin {
  const { name, version, required = false, options = null } = definition;
  const wrong =
    !keyName.safeParse(name).success ||
    typeof version !== 'string' ||
    version === '' ||
    typeof definition.setup !== 'function';
  if (wrong) {
    throw new BatonError(
      'PLUGIN_INVALID',
      `A plugin has a wrong name, version or setup: ${JSON.stringify({ name, version })}.`,
      {
        fix: 'Give it a name of letters, digits, ".", "-", "_", a version and a setup function.',
      },
    );
  }
  // The bus parses the options by this very schema before setup sees them.
  const setup = (api: PluginApi) => definition.setup(api as PluginApi<Options>);
  return { name, version, required, options, setup, [brand]: true };
}

/** True for a plugin made by any copy of this package. */
export function isPlugin(value: unknown): value is Plugin {
  return typeof value === 'object' && value !== null && brand in value;
}
