import type { Campaign } from './campaign.ts';
import { agentsCampaign } from './campaigns/agents.ts';
import { cheats } from './campaigns/cheats.ts';
import { contention } from './campaigns/contention.ts';
import { explain } from './campaigns/explain.ts';
import { explore } from './campaigns/explore.ts';
import { firstHourCampaign } from './campaigns/first-hour.ts';
import { hermetic } from './campaigns/hermetic.ts';
import { histories } from './campaigns/histories.ts';
import { kernelBench } from './campaigns/kernel-bench.ts';
import { landingBench } from './campaigns/landing-bench/index.ts';
import { longTests } from './campaigns/long-tests.ts';
import { model } from './campaigns/model.ts';
import { mutants } from './campaigns/mutants.ts';
import { packed } from './campaigns/packed.ts';
import { salvage } from './campaigns/salvage.ts';
import { reach } from './campaigns/reach.ts';
import { spend } from './campaigns/spend.ts';
import { storeBench } from './campaigns/store-bench/index.ts';
import { tables } from './campaigns/tables.ts';
import { terminalCampaign } from './campaigns/terminal.ts';
import { torture } from './campaigns/torture/index.ts';
import { train } from './campaigns/train.ts';
import { wholeBench } from './campaigns/whole-bench/index.ts';

/** Every campaign, in the order of their listing. */
export const campaigns: readonly Campaign[] = [
  tables,
  contention,
  torture,
  explore,
  model,
  explain,
  reach,
  spend,
  salvage,
  hermetic,
  cheats,
  kernelBench,
  storeBench,
  landingBench,
  packed,
  firstHourCampaign,
  terminalCampaign,
  agentsCampaign,
  mutants,
  train,
  histories,
  wholeBench,
  longTests,
];
