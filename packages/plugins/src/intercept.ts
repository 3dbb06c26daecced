import { BatonError, parseInput } from '@baton/contracts';
import { z } from 'zod';
import { withDeadline } from './deadline.ts';
import type { Host } from './host.ts';
import { interceptorHooks, type InterceptorHook, type InterceptorPayloads } from './interceptor-hooks.ts';
import type { InterceptOptions } from './plugin.ts';

/** What came of asking all interceptors of a hook: the payload as they changed it, or who refused and why. */
export type InterceptResult<Hook extends InterceptorHook> =
  { ok: true; payload: InterceptorPayloads[Hook] } | { ok: false; by: string; reason: string };

const answer = z.union([
  z.undefined(),
  z.strictObject({ deny: z.string().min(1).max(2_000) }),
  z.strictObject({ change: z.record(z.string(), z.unknown()) }),
]);

type Registered = NonNullable<ReturnType<Host['interceptors']['get']>>[number];

/** One asking of one interceptor. */
interface Asking<Hook extends InterceptorHook> {
  host: Host;
  registered: Registered;
  payload: InterceptorPayloads[Hook];
  deadlineMs: number;
}

/**
 * Asks the interceptors of a hook one after the other, in order of the plugins. Each gets a copy of the payload; only what
 * it answers counts, checked against the hook's schema. One that throws, hangs, answers nonsense or is cut off counts by its
 * own `onError`, and the others are asked as if it were not there.
 * @throws CONFLICT before the plugins are set up and after their teardown, INVALID_INPUT for a hook that does not exist
 */
export async function interceptAll<Hook extends InterceptorHook>(
  hosts: readonly Host[],
  options: { hook: Hook; payload: InterceptorPayloads[Hook]; deadlineMs: number },
): Promise<InterceptResult<Hook>> {
  const { hook, deadlineMs } = options;
  let { payload } = options;
  refuseUnasked(hosts, hook);
  for (const host of hosts) {
    if (host.state !== 'ready') continue;
    for (const registered of host.interceptors.get(hook) ?? []) {
      const result = await askOne(hook, { host, registered, payload, deadlineMs });
      if (!result.ok) return result;
      payload = result.payload;
    }
  }
  return { ok: true, payload };
}

/** A guard that was not asked would have let everything through. */
function refuseUnasked(hosts: readonly Host[], hook: string): void {
  if (!Object.hasOwn(interceptorHooks, hook)) {
    throw new BatonError('INVALID_INPUT', `There is no interceptor hook "${hook}".`, {
      at: 'hook',
      fix: `Use one of ${Object.keys(interceptorHooks).join(', ')}.`,
    });
  }
  if (hosts.some(({ state }) => state === 'new'))
    throw new BatonError('CONFLICT', 'The plugins are not set up yet.', {
      fix: 'Call setup() of the bus first.',
    });
  if (hosts.some(({ state }) => state === 'stopped'))
    throw new BatonError('CONFLICT', 'The plugins were torn down.', {
      fix: 'Ask before teardown(), or set up another bus.',
    });
}

async function askOne<Hook extends InterceptorHook>(
  hook: Hook,
  asking: Asking<Hook>,
): Promise<InterceptResult<Hook>> {
  const { host, registered, payload, deadlineMs } = asking;
  const { name } = host.plugin;
  const byPolicy = (reason: string): InterceptResult<Hook> =>
    registered.options.onError === 'deny' ? { ok: false, by: name, reason } : { ok: true, payload };
  if (!host.breaker.allows())
    return byPolicy(`the plugin "${name}" is cut off after failures (${host.lastError ?? 'unknown'})`);
  host.calls.interceptions += 1;
  try {
    const ms = limitOf(registered.options, deadlineMs);
    const what = `The plugin "${name}" (${hook})`;
    const given = await withDeadline((signal) => registered.handler(structuredClone(payload), { signal }), {
      ms,
      what,
    });
    const result = apply(hook, { payload, given, name });
    host.breaker.succeeded();
    if (!result.ok) host.calls.vetoes += 1;
    return result;
  } catch (error) {
    return byPolicy(`the plugin "${name}" failed: ${host.failed(error)}`);
  }
}

function limitOf(options: InterceptOptions, deadlineMs: number): number {
  return Math.max(1, Math.min(options.deadlineMs ?? deadlineMs, deadlineMs));
}

function apply<Hook extends InterceptorHook>(
  hook: Hook,
  options: { payload: InterceptorPayloads[Hook]; given: unknown; name: string },
): InterceptResult<Hook> {
  const { payload, given, name } = options;
  const parsed = parseInput(answer, given, {
    what: `The answer of "${name}" to ${hook}`,
    code: 'PLUGIN_INVALID',
  });
  if (parsed === undefined) return { ok: true, payload };
  if ('deny' in parsed) return { ok: false, by: name, reason: parsed.deny };
  const { payload: schema, mayChange } = interceptorHooks[hook];
  const stray = Object.keys(parsed.change).find((key) => !(mayChange as readonly string[]).includes(key));
  if (stray !== undefined) throw new Error(`it may not change "${stray}" of ${hook}`);
  const changed = parseInput(
    schema as z.ZodType,
    { ...payload, ...parsed.change },
    {
      what: `What "${name}" made of ${hook}`,
      code: 'PLUGIN_INVALID',
    },
  );
  return { ok: true, payload: changed as InterceptorPayloads[Hook] };
}
