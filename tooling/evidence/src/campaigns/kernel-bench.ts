import type { Campaign, CampaignOptions, Findings } from '../campaign.ts';
import { judge } from './kernel-bench/judge.ts';
import { measure, type Measured } from './kernel-bench/rounds.ts';
import { type Contestant, contestants } from './kernel-bench/subjects.ts';

/** The kernel against other state machine libraries and against bare tables. */
export const kernelBench: Campaign = {
  name: 'kernel-bench',
  shows:
    "fsm-core checks a move as fast as a nested object does, makes snapshot and record in 2.5 times that, and is 80 times as fast as xstate's actors and 10 times as fast as robot3",
  run,
};

async function run({ short, seed, say }: CampaignOptions): Promise<Findings> {
  const who = short ? contestants.filter(isInShortForm) : contestants;
  const size = short ? { rounds: 3, cpuMs: 10, warmUpMs: 50 } : { rounds: 7, cpuMs: 120, warmUpMs: 1000 };
  const generations = short ? 1 : 3;
  say(
    `${who.length} contestants, each in a process, take turns of ${size.cpuMs} ms for ${size.rounds} rounds`,
  );
  const measured: Measured[][] = [];
  for (let at = 0; at < generations; at += 1) {
    measured.push(await measure(who, { ...size, seed: seed + at }));
    say(`${at + 1} of ${generations} times, with new processes each time`);
  }
  return judge(pooled(measured), { short });
}

/** What a compiler makes of the same code differs from process to process, so the rounds of several are one sample. */
function pooled(generations: readonly Measured[][]): Measured[] {
  const [first = []] = generations;
  return first.map((one, at) => ({ ...one, ns: generations.flatMap((measured) => measured[at]?.ns ?? []) }));
}

const shortForm = [
  'nested object',
  'fsm-core can',
  'fsm-core decide',
  'xstate actor.send',
  'robot3 service.send',
];

const isInShortForm = ({ subject, prelude }: Contestant) =>
  prelude !== 'shapes' && shortForm.includes(subject);
