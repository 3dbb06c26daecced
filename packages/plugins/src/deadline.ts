import { BatonError } from '@baton/contracts';

/**
 * Waits for an act, but no longer than `ms`. Then its signal aborts an act that is still running, which is left alone: its
 * result no longer counts. Work that blocks the thread cannot be stopped this way.
 * @throws PLUGIN_TIMEOUT, or what the act throws
 */
export async function withDeadline<T>(
  act: (signal: AbortSignal) => T | Promise<T>,
  options: { ms: number; what: string },
): Promise<T> {
  const { ms, what } = options;
  const controller = new AbortController();
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new BatonError('PLUGIN_TIMEOUT', `${what} gave no answer within ${ms} ms.`, {
      fix: 'Check what the plugin waits for; its AbortSignal fires when its answer is no longer needed.',
    });
    controller.abort(error);
    reject(error);
  }, ms);
  const result = Promise.resolve().then(() => act(controller.signal));
  try {
    return await Promise.race([result, timeout]);
  } finally {
    clearTimeout(timer);
    // Whichever lost the race may still fail; its error has no receiver any more.
    result.catch(() => {});
    timeout.catch(() => {});
  }
}
