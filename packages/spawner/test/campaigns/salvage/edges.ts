import { edgeActions } from './edge-actions.ts';
import { ends, type SalvageCase } from './play.ts';

/** How many of the ends a set of cases is played with: each, or one for each case, in turn. */
export type HowMany = 'each end' | 'an end in turn';

/** What leads out of a worktree, is mounted in it or has no bytes. */
export function edgeCases(howMany: HowMany): SalvageCase[] {
  return Object.keys(edgeActions).flatMap((does, at) =>
    endsOf(at, howMany).map((end) => ({
      ...{ name: `edge/${does}/${end}`, seed: at, does: ['write', does], end, dieAt: at % 20 },
    })),
  );
}

/** How an agent puts objects of its git elsewhere. */
export const moves = [
  'objects elsewhere',
  'parts of objects elsewhere',
  'pipe in objects elsewhere',
] as const;

/** Commits, stashes and staged content in objects that an agent put elsewhere. */
export function movedCases(moved: (typeof moves)[number], howMany: HowMany): SalvageCase[] {
  return ['branch', 'commit', 'stash', 'orphan', 'stage and delete'].flatMap((does, seed) =>
    endsOf(seed + moves.indexOf(moved), howMany).map((end) => ({
      ...{ name: `${does}/${moved}/${end}`, seed, end, dieAt: seed * 4 },
      does: ['write', does, 'commit', 'branch', moved, 'write'],
    })),
  );
}

const endsOf = (at: number, howMany: HowMany): readonly SalvageCase['end'][] =>
  howMany === 'each end' ? ends : [ends[at % ends.length] ?? 'clean'];
