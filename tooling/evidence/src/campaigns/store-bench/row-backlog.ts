import { compare, figuresOf, linesOf, type Row } from './row.ts';
import { interleave } from './rounds.ts';
import { seededStore } from './seeds.ts';

/** A long queue against a short one, and one in which most tasks wait for others. */
export const backlogRow: Row = {
  name: 'backlog',
  work: '1,000,000 tasks waiting against 10,000; 90 % of 100,000 blocked by dependencies against none',
  async run(context) {
    const { short } = context;
    const [few, many, mixed] = short ? [300, 900, 1500] : [10_000, 1_000_000, 100_000];
    const [fewName, manyName] = [`${few} waiting`, `${many} waiting`];
    const [freeName, blockedName] = [`${mixed}, none blocked`, `${mixed}, 90 % blocked`];
    const kinds = [
      seededStore(fewName, { ready: few }),
      seededStore(manyName, { ready: many }),
      seededStore(freeName, { ready: mixed }),
      seededStore(blockedName, { ready: mixed * 0.1, stuck: { tasks: mixed * 0.9, why: 'blocked' } }),
    ];
    const sizes = short
      ? { rounds: 1, warmMs: 20, windowMs: 60, backlog: few }
      : { rounds: 5, warmMs: 300, windowMs: 1200, backlog: few };
    const { samples, broken } = await interleave(context, { row: 'backlog', kinds, sizes });
    const cost = (mine: string, theirs: string) =>
      compare(samples, [mine, theirs], {
        what: `${mine}: server CPU per job ÷ ${theirs}`,
        measure: 'serverMs',
        most: 1.3,
      });
    return {
      aims: [...cost(manyName, fewName), ...cost(blockedName, freeName)],
      lines: linesOf(samples),
      figures: figuresOf(samples),
      broken,
    };
  },
};
