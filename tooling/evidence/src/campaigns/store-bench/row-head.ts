import { compare, figuresOf, linesOf, type Row } from './row.ts';
import { interleave } from './rounds.ts';
import { seededStore, type Stuck } from './seeds.ts';

const none = 'nothing before';
const stuck: readonly Stuck[] = ['paused', 'not before tomorrow', 'over budget', 'no room in the budget'];

/** The short form leaves out those that are told apart by the same flag. */
const few: readonly Stuck[] = ['over budget', 'no room in the budget'];

/** Tasks that cannot be claimed, all of them before those that can. */
export const headRow: Row = {
  name: 'head',
  work: '200,000 tasks that cannot be claimed at the head of the queue, against none',
  async run(context) {
    const { short } = context;
    const tasks = short ? 300 : 200_000;
    const kinds = [
      seededStore(none, {}),
      ...(short ? few : stuck).map((why) => seededStore(why, { stuck: { tasks, why } })),
    ];
    const sizes = short
      ? { rounds: 1, warmMs: 30, windowMs: 100, backlog: 1000 }
      : { rounds: 3, warmMs: 500, windowMs: 2000, backlog: 20_000 };
    const { samples, broken } = await interleave(context, { row: 'head', kinds, sizes });
    const aims = stuck.flatMap((why) =>
      compare(samples, [why, none], {
        what: `${why}: server CPU per job ÷ none`,
        measure: 'serverMs',
        most: 1.3,
      }),
    );
    return { aims, lines: linesOf(samples), figures: figuresOf(samples), broken };
  },
};
