import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';

/** Both sides must agree: like the test runner's `expect`, but also outside of it, where campaigns play the model. */
export function expect(actual: unknown, what?: string) {
  const agree = (expected: unknown, agrees: boolean) => {
    if (!agrees) {
      const named =
        what === undefined
          ? {}
          : {
              message: `${what}: the store says ${JSON.stringify(actual)}, the model ${JSON.stringify(expected)}`,
            };
      throw new assert.AssertionError({ actual, expected, operator: 'deepStrictEqual', ...named });
    }
  };
  return {
    toBe: (expected: unknown) => agree(expected, Object.is(actual, expected)),
    toEqual: (expected: unknown) => agree(expected, isDeepStrictEqual(actual, expected)),
  };
}
