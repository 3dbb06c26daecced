import type { LandingWork } from '@baton/task-store';

/** Work that is still to be landed. */
export interface Part {
  works: readonly LandingWork[];
  /** It was red together with the part before it: when that one is green, this one is the red one. */
  isRest?: true;
  /** It is known not to pass as one, so only its halves are tried. */
  isRed?: true;
  /** Names of the gates that were red on all that it was a part of. */
  redGates?: readonly string[];
}

export const singlesOf = (works: readonly LandingWork[]): Part[] => works.map((work) => ({ works: [work] }));

/** The two halves of a train that was red, with the names of the gates that were. Pure. */
export function halvesOf(works: readonly LandingWork[], redGates: readonly string[] = []): Part[] {
  const middle = Math.ceil(works.length / 2);
  return [{ works: works.slice(0, middle) }, { works: works.slice(middle), isRest: true, redGates }];
}

/** The parts that wait behind one that was tried: what was red together with it is the red one, if it is green. Pure. */
export function restAfter(waiting: readonly Part[], { isGreen }: { isGreen: boolean }): Part[] {
  const [next, ...others] = waiting;
  if (next?.isRest !== true) return [...waiting];
  const { works, redGates } = next;
  return [isGreen ? { works, isRed: true, ...(redGates && { redGates }) } : { works }, ...others];
}

/**
 * The works that are verified next if the present part ends as expected: of what is red then, the first half; a single task that is red
 * is passed over, since it does not land. Pure.
 * @returns null: what waits in the lane
 */
export function nextToVerify(waiting: readonly Part[]): readonly LandingWork[] | null {
  const [next, ...others] = waiting;
  if (next === undefined) return null;
  if (next.isRest !== true && next.isRed !== true) return next.works;
  if (next.works.length === 1) return nextToVerify(others);
  return halvesOf(next.works)[0]?.works ?? null;
}
