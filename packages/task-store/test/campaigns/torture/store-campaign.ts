import { planStrikes } from '@baton/testkit';
import {
  allMoments,
  blow,
  dice,
  inChains,
  inGroups,
  shuffled,
  type Stage,
  type StageOptions,
} from './stage.ts';
import { bulkLife, liveTrial } from './trial.ts';

/** Lives of the store whose processes are killed at every point that they pass. */
export function storeStage({ catalogue, signal }: StageOptions): Stage {
  return {
    part: 'store',
    recovers: true,
    hold: (strikes, server) => liveTrial(strikes, { server, catalogue, signal }),
    plan(passages, seed) {
      // All facts go through one statement: each passage is another one. Every other of them; the rest is for other seeds.
      const everyPassage = (point: string) => point === 'pg:apply';
      const planned = planStrikes(passages, { victim: 'self', moments: allMoments, seed, everyPassage });
      const strikes = planned.filter(
        ({ point, passage }) => !everyPassage(point) || passage === 1 || passage % 2 === seed % 2,
      );
      return inChains(strikes, passages, 3);
    },
    few: (seed) => [[blow('pg:claim', { passage: 1 + (seed % 3) }), blow('effect:move target')]],
  };
}

/** Points that whole lives do not pass, and the writes that carry whole sets. */
const ofBulk =
  /^pg:(add-tasks|append-checkpoint|archive|claim-set|claim-many|apply-|apply$|prune-)|archive-file/;

/** Lives in bulk, killed at what only they pass. */
export function bulkStage({ catalogue, signal }: StageOptions): Stage {
  return {
    part: 'store',
    recovers: false,
    hold: (strikes, server) => liveTrial(strikes, { server, catalogue, signal, kind: bulkLife }),
    plan: (passages, seed) =>
      planStrikes(
        passages.filter(({ point }) => ofBulk.test(point)),
        { victim: 'self', moments: allMoments, seed },
      ).map((strike) => [strike]),
    few: () => [[blow('pg:archive')]],
  };
}

/** So many times a life's database is killed under it. */
const blowsOfALife = 4;

/** The same lives, but the database is killed under them: its backend, or the whole server. */
export function postgresStage({ catalogue, signal }: StageOptions): Stage {
  return {
    part: 'postgres',
    recovers: false,
    hold: (strikes, server) => liveTrial(strikes, { server, catalogue, signal }),
    plan(all, seed) {
      const passages = all.filter(({ point }) => point.startsWith('pg:'));
      const backend = planStrikes(passages, { victim: 'backend', moments: ['middle', 'after'], seed });
      // Starting a server again takes longest of all: under every other statement, the rest is for other seeds.
      const whole = planStrikes(passages, { victim: 'postmaster', moments: ['middle'], seed }).filter(
        (_, at) => at % 2 === seed % 2,
      );
      return inGroups(shuffled([...backend, ...whole], dice(seed)), blowsOfALife);
    },
    few: (seed) => [[blow('pg:apply', { passage: 10 + (seed % 20), moment: 'middle', victim: 'backend' })]],
  };
}
