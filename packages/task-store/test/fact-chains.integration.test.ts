import { afterAll, beforeAll, expect, it } from 'vitest';
import { apply } from '../src/apply/apply.ts';
import { situationsOf } from '../src/claims/to-claim.ts';
import type { Change } from '../src/decide/change.ts';
import { coupledSequence } from '../src/decide/decide-facts.ts';
import { changeOf } from '../src/decide/to-change.ts';
import type { Db } from '../src/db/query.ts';
import { openDb } from '../src/open.ts';
import { draft } from './support/builders.ts';
import { base, holding } from './support/flow.ts';
import { testStore } from './support/store.ts';

const held = testStore();
let db: Db;
let close: () => Promise<void>;
beforeAll(() => ({ db, close } = openDb({ url: held.url })));
afterAll(() => close());

/** What `launched` and `ready` of a fresh claim come to when they are reported together. */
async function startOfAgent(): Promise<Change> {
  const { runId } = await held.flow.open([draft('a')]);
  const claim = await held.flow.claim(runId);
  const session = { adapter: 'command', model: null, pid: 1, pidStarted: '1', workspace: '/w' };
  const launched = { ...session, deadlineAt: null, route: {}, holdings: [holding(claim)] };
  const situation = situationsOf(claim, new Date());
  const { planned } = coupledSequence(
    [
      { fact: 'launched', ...launched },
      { fact: 'ready', holding: holding(claim), baseCommit: base, startCommit: base },
    ],
    situation,
    { actor: 'worker:w1', random: 0 },
  );
  expect(planned.refused).toBeNull();
  return changeOf(planned, situation);
}

it.each(['turn', 'agent', 'execution'] as const)(
  'lets no %s have another number after the first of two facts in a report than the second begins at',
  async (machine) => {
    const change = await startOfAgent();
    const { events = [] } = change;
    const at = events.findIndex((event) => event.machine === machine);
    const wrong = events.map((event, n) => (n === at ? { ...event, seq: event.seq + 5 } : event));
    await expect(apply(db, { ...change, events: wrong })).rejects.toMatchObject({
      details: { sqlState: 'BA002' },
    });
    expect(await apply(db, change)).toMatchObject({ ok: true });
  },
);
