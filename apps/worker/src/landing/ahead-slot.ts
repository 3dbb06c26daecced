import type { LandingWork } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import { leastIdle } from '../context/idle-processors.ts';
import { mayGoAhead, startAhead, type Ahead } from './ahead.ts';
import { nextToVerify, type Part } from './parts.ts';

/** The one verification of a lane that runs beside the one that decides. */
export interface AheadSlot {
  /**
   * Starts to verify what lands next if the present works end as expected, on the commit that the target has then.
   * @param order.waiting Parts that land after them; none: what waits in the lane.
   */
  start(
    ctx: WorkerContext,
    order: { present: readonly LandingWork[]; waiting: readonly Part[]; base: string },
  ): Promise<void>;
  /** The verification of exactly these works, which is now theirs; another one is ended. */
  take(works: readonly LandingWork[]): Promise<Ahead | null>;
  /** Works that are verified; empty: none. */
  works(): readonly LandingWork[];
  /** Ends what runs. */
  drop(): Promise<void>;
}

/** @param takeNext Takes what waits in the lane besides these works; asked only when nothing else is next. */
export function createAheadSlot(
  takeNext: (besides: readonly LandingWork[]) => Promise<readonly LandingWork[]>,
): AheadSlot {
  let now: Ahead | null = null;
  const drop = async (): Promise<void> => {
    const ending = now;
    now = null;
    await ending?.stop();
  };
  return {
    async start(ctx, { present, waiting, base }) {
      if (now !== null || !mayGoAhead(present) || ctx.idleProcessors() < leastIdle) return;
      const besides = [...present, ...waiting.flatMap(({ works }) => works)];
      const works = nextToVerify(waiting) ?? (await takeNext(besides));
      if (mayGoAhead(works)) now = startAhead(ctx, { works, base });
    },
    async take(works) {
      const isIt = now?.works.length === works.length && now.works.every((work, at) => work === works[at]);
      if (!isIt) await drop();
      const own = now;
      now = null;
      return own;
    },
    works: () => now?.works ?? [],
    drop,
  };
}
