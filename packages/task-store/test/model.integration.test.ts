import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestDatabase } from '@baton/testkit';
import { play } from './model/play.ts';
import { storeDatabase } from './support/database.ts';

let database: TestDatabase | undefined;
beforeAll(async () => {
  database = await storeDatabase();
});
afterAll(() => database?.[Symbol.asyncDispose]());

it(
  'does, command by command, what a model of the store in plain TypeScript does',
  { timeout: 120_000 },
  async () => {
    const url = database?.url ?? '';
    const played = await play({ url, seed: 11, numRuns: 8, maxCommands: 50 });
    expect(played.counterexample).toBeNull();
    expect(played).toMatchObject({ runs: 8, broken: 0 });
    expect(played.reports).toBeGreaterThan(30);
    expect(Object.keys(played.ends).length).toBeGreaterThan(4);
  },
);
