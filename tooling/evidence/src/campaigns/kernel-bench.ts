import type { Campaign, CampaignOptions, Findings } from '../campaign.ts';
import { judge } from './kernel-bench/judge.ts';
import { measure } from './kernel-bench/rounds.ts';
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
  const size = short ? { rounds: 3, cpuMs: 10, warmUpMs: 50 } : { rounds: 15, cpuMs: 150, warmUpMs: 1500 };
  say(
    `${who.length} contestants, each in a process, take turns of ${size.cpuMs} ms for ${size.rounds} rounds`,
  );
  return judge(await measure(who, { ...size, seed }), { short });
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
