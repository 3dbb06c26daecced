import { randomInt } from 'node:crypto';

/** Digits that nobody outside can guess: what our own colours are told from others by while text is put together. */
export function systemSeal(): string {
  return Array.from({ length: 3 }, () => randomInt(1_000, 10_000)).join(';');
}
