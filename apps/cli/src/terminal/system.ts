import { randomInt } from 'node:crypto';

/** Digits that no one outside can guess: they distinguish our own colours from others while text is put together. */
export function systemSeal(): string {
  return Array.from({ length: 3 }, () => randomInt(1_000, 10_000)).join(';');
}
