import type { ManualClock } from '@baton/testkit';
import type { TestStore } from './store.ts';

/** Sweeps as one that has been awake for a while, so that what has lapsed may expire. */
export function sweeping(held: TestStore, clock: ManualClock) {
  const sweep = () => held.store.claims.sweep({ actor: 'sweeper' });
  const awake = async () => {
    for (let n = 0; n < 4; n++) {
      await sweep();
      clock.advance(50_000);
    }
  };
  return {
    sweep,
    awake,
    /** Lets all leases lapse first. */
    async sweepLapsed() {
      await awake();
      await held.lapse();
      return sweep();
    },
  };
}
