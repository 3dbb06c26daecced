import { afterAll, beforeAll, expect, it } from 'vitest';
import { inParts } from '@baton/testkit';
import type { CrashCatalogue, CrashStrike } from '@baton/testkit';
import { productionCatalogue } from './campaigns/torture/catalogue.ts';
import { openTortureServer, type TortureServer } from './campaigns/torture/server.ts';
import { simulate } from './campaigns/torture/simulated.ts';
import { blow } from './campaigns/torture/stage.ts';
import { liveTrial } from './campaigns/torture/trial.ts';

let server: TortureServer;
let catalogue: CrashCatalogue;
beforeAll(async () => {
  catalogue = await productionCatalogue();
  server = await openTortureServer();
}, 120_000);
afterAll(() => server[Symbol.asyncDispose]());

const moved: CrashStrike = blow('effect:move target');

it('breaks no promise when a process is killed between the move of the target and its confirmation', async () => {
  const trial = await liveTrial([moved], { server, catalogue });
  expect(trial).toMatchObject({ kills: 1, violations: [] });
}, 300_000);

for (const [cases, tagged] of inParts(1, [
  [
    'intents left open are never settled',
    { fault: 'forget intents' as const, strike: moved },
    /landed twice/,
  ],
  [
    'a landing is confirmed before the target has moved',
    { fault: 'confirm first' as const, strike: blow('effect:move target', { moment: 'before' }) },
    /tasks are CLOSED, \d+ landed|is not on the target/,
  ],
  [
    'nobody looks after what the dead have left',
    { fault: 'skip recovery' as const, strike: blow('pg:claim'), longestMs: 20_000 },
    /did not come to an end/,
  ],
]))
  it.each(cases)('reports when %s', { ...tagged, timeout: 300_000 }, async (_, planted, told) => {
    const { strike, ...rest } = planted;
    const trial = await liveTrial([strike], { server, catalogue, ...rest });
    expect(trial.kills).toBe(1);
    expect(trial.violations.join('\n')).toMatch(told);
  });

it('lists every writing statement of the store among its points', () => {
  const writes = Object.entries(catalogue.statements).filter(([, isReadonly]) => !isReadonly);
  expect(writes.length).toBeGreaterThan(30);
  expect(catalogue.points).toEqual(expect.arrayContaining(writes.map(([name]) => `pg:${name}`)));
});

it('simulates as many trials with crashes as it is asked for, the same for the same seed', () => {
  const first = simulate({ trials: 20, seed: 5 });
  expect(first.violations).toEqual([]);
  expect(first.trials).toBeGreaterThanOrEqual(20);
  expect(first.crashes).toBeGreaterThanOrEqual(20);
  expect(simulate({ trials: 20, seed: 5 })).toEqual(first);
});
