/** What a sweeper remembers of its earlier rounds, on its own monotonic clock. */
export interface SweepWindow {
  /** When it last swept; undefined: it has just started. */
  last: number | undefined;
  /** No lease is expired before. */
  quietUntil: number;
}

/** A sweeper that has just started. */
export const freshWindow: SweepWindow = { last: undefined, quietUntil: 0 };

/**
 * May a sweeper expire leases in this round? One that has just started, or was kept from running for half a lease (database down,
 * laptop asleep), waits one whole lease first: the holders were kept from renewing, too. Pure. Source: docs/spec/store.md#leases.
 *
 * @param now - monotonic milliseconds
 */
export function nextWindow(
  window: SweepWindow,
  now: number,
  leaseMs: number,
): SweepWindow & { mayExpire: boolean } {
  const { last } = window;
  const quietUntil = last === undefined || now - last > leaseMs / 2 ? now + leaseMs : window.quietUntil;
  return { last: now, quietUntil, mayExpire: now >= quietUntil };
}
