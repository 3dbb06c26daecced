import { listProcessesWithMarker, until } from '@baton/testkit';

import { batonMain, callBaton, type RunPlace } from './run-place.ts';
import type { RunStep } from './run-steps.ts';

/** A command that is called once a run is over, and once more whenever it was killed. */
export interface Verb {
  points: RegExp;
  /** What is typed at the call of this number, 0 for the first. */
  args(place: RunPlace, at: number): Promise<string[]> | string[];
  judge(place: RunPlace): Promise<string[]>;
}

/** A command as a step. It is called until no blow falls; whoever calls again sees that the git of a killed one has ended. */
export function verbStep({ points, args, judge }: Verb): RunStep {
  return {
    points,
    async call(place, { watched, at, wasKilled, signal }) {
      if (at > 0 && !wasKilled) return null;
      await until(() => listProcessesWithMarker(place.home).length === 0, { what: 'its git has ended' });
      const typed = await args(place, at);
      const ended = await callBaton([...watched, batonMain, ...typed], { place, signal });
      return { ...ended, what: `\`baton ${typed.join(' ')}\`` };
    },
    judge,
  };
}
