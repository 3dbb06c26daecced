import { isAt, type CrashGate } from './crash-points-gate.ts';

/** Where the preload leaves the gate for {@link effectPoint}. */
export const crashGateKey = Symbol.for('baton.crash-gate');

/**
 * An effect of a test program itself as a crash point, for worlds that it only plays (a target that is no repository).
 * Without the preload it is just the effect.
 */
export function effectPoint<T>(name: string, act: () => T): T {
  const gate = (globalThis as Record<symbol, unknown>)[crashGateKey] as CrashGate | undefined;
  const strike = gate?.pass(`effect:${name}`, { hasMiddle: false }) ?? null;
  if (isAt(strike, 'before')) gate?.strike(strike);
  const result = act();
  if (isAt(strike, 'after')) gate?.strike(strike);
  return result;
}
