import { expect, it } from 'vitest';
import { apply } from '../src/apply/apply.ts';
import { queryOne } from '../src/db/query.ts';
import { leaseExpiry } from '../src/decide/expire-lease.ts';
import { openDb } from '../src/open.ts';
import { situationOfSession } from '../src/apply/load-situation.sql.ts';
import { draft } from './support/builders.ts';
import { testStore } from './support/store.ts';

const held = testStore();

it('expires nothing that its worker renewed after the sweeper had looked', async () => {
  const { runId } = await held.flow.open([draft('a')]);
  const claim = await held.flow.claim(runId);
  const { db, close } = openDb({ url: held.url });
  try {
    const situation = await queryOne(db, situationOfSession, [claim.sessionId]);
    if (situation === null) throw new Error('the session is there');
    const expiry = leaseExpiry(situation, { actor: 'sweeper', random: 0 });
    if (expiry === null) throw new Error('a claimed task can expire');
    // The lease is live: the sweeper's decision was made on a look before the renewal.
    expect(await apply(db, expiry.change)).toEqual({ ok: false, why: 'stale' });
    expect((await held.store.tasks.list({ runId })).items[0]?.status).toBe('CLAIMED');
    await held.sql(`UPDATE attempt SET lease_expires_at = now() - interval '1 second' WHERE run_id = $1`, [
      runId,
    ]);
    expect(await apply(db, expiry.change)).toMatchObject({ ok: true });
    expect((await held.store.tasks.list({ runId })).items[0]?.status).toBe('OPEN');
  } finally {
    await close();
  }
});
