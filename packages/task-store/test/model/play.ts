import { manualClock } from '@baton/testkit';
import fc from 'fast-check';
import pg from 'pg';
import { openStore, type Store } from '../../src/index.ts';
import { by, draft, runDraft } from '../support/builders.ts';
import { agentCommands } from './agent-commands.ts';
import type { Choice } from './command.ts';
import { compare } from './compare.ts';
import { adopt, type Real } from './driver.ts';
import { laneCommands } from './lane-commands.ts';
import { runCommands } from './run-commands.ts';
import { newWorld, type World } from './world.ts';

const all = { ...runCommands, ...agentCommands, ...laneCommands };
let runs = 0;

class Step implements fc.AsyncCommand<World, Real> {
  readonly name: string;
  readonly choice: Choice;
  constructor(name: string, choice: Choice) {
    this.name = name;
    this.choice = choice;
  }
  check = (): boolean => true;
  async run(world: World, real: Real): Promise<void> {
    await all[this.name]?.[1](world, real, this.choice);
    await compare(world, real);
  }
  toString = (): string => `${this.name}(${this.choice.at}, ${this.choice.way})`;
}

const choices = { at: fc.nat(23), way: fc.nat(23) };
// A command drawn more often stands in the list more often.
const steps = Object.entries(all).flatMap(([name, [weight]]) =>
  Array.from({ length: weight }, () => fc.record(choices).map((choice) => new Step(name, choice))),
);

/** What a campaign of the model did. */
export interface Played {
  runs: number;
  /** Commands that were compared. */
  commands: number;
  /** Reports that the store accepted. */
  reports: number;
  /** How many tasks ended in each state. */
  ends: Record<string, number>;
  broken: number;
  /** The shrunk counterexample; null: the store did as the model says. */
  counterexample: string | null;
}

/** Lets the store and the reference model carry out the same commands and compares them after each. */
export async function play(options: {
  url: string;
  seed: number;
  numRuns: number;
  maxCommands: number;
}): Promise<Played> {
  const clock = manualClock();
  const store = await openStore({
    url: options.url,
    random: () => 0,
    clock: { ...clock, now: () => new Date() },
  });
  const client = new pg.Client({ connectionString: options.url });
  await client.connect();
  let played = 0;
  let reports = 0;
  const ends: Record<string, number> = {};
  try {
    const lists = fc.commands(steps, { maxCommands: options.maxCommands, size: 'max' });
    const property = fc.asyncProperty(lists, async (list) => {
      const start = await begin(store, { client, clock });
      await fc.asyncModelRun(() => start, list);
      played += [...list].length;
      reports += start.real.accepted;
      for (const { status } of start.model.tasks) ends[status] = (ends[status] ?? 0) + 1;
    });
    const { failed, counterexample, errorInstance } = await fc.check(property, {
      ...{ seed: options.seed, numRuns: options.numRuns, endOnFailure: false },
    });
    const { broken } = await store.audit.verify();
    const shown = failed ? `${String(counterexample?.[0])}\n${String(errorInstance)}` : null;
    return {
      runs: options.numRuns,
      commands: played,
      reports,
      ends,
      broken: broken.length,
      counterexample: shown,
    };
  } finally {
    await client.end();
    await store.close();
  }
}

async function begin(
  store: Store,
  { client, clock }: Pick<Real, 'client' | 'clock'>,
): Promise<{ model: World; real: Real }> {
  const slug = `model-${process.pid}-${++runs}`;
  const drafts = [
    draft('t0', { maxRetries: 1 }),
    draft('t1', { maxRetries: 0, dependsOn: ['t0'] }),
    draft('t2'),
  ];
  const made = await store.runs.create(runDraft(drafts, { slug, target: `baton/${slug}` }), by);
  await store.runs.approvePlan(made.run.id, by);
  const model = newWorld(made.run.id);
  adopt(model, made.tasks, { parent: null, edges: new Map([['t1', ['t0']]]), planned: true });
  for (const task of model.tasks) Object.assign(task, { status: 'OPEN', version: 1 });
  const real: Real = {
    store,
    client,
    clock,
    workerId: `worker-of-${slug}`,
    lane: null,
    told: [],
    replayed: new Map(),
    count: 0,
    accepted: 0,
  };
  return { model, real };
}
