import path from 'node:path';
import type { Campaign, CampaignOptions, Findings } from '../campaign.ts';
import { type Fault, readFaults } from './mutants/fault.ts';
import { makeScratch, type Scratch } from './mutants/scratch.ts';
import { runTests } from './mutants/run-tests.ts';

/** Planted faults, each of which some test must notice. */
export const mutants: Campaign = {
  name: 'mutants',
  shows: 'every planted fault in kernel, store, spawner, janitor and worker turns a test of its package red',
  patches:
    '*.patch: "fault: <one line>" and "tests: <files of the package, or leave the line out>", an empty line, then a unified diff from the root (a/packages/…, b/packages/…)',
  run,
};

const ours = path.join(import.meta.dirname, '../../mutants');

/** What became of a planted fault. */
interface Outcome extends Fault {
  result: 'caught' | 'survived' | 'does not fit' | 'not judged';
  by: string;
}

async function run({ short, patchesDir, say }: CampaignOptions): Promise<Findings> {
  const all = await readFaults(patchesDir ?? ours);
  const faults = short ? all.filter(({ owner }) => owner === 'packages/fsm-core').slice(0, 2) : all;
  await using scratch = await makeScratch();
  const outcomes: Outcome[] = [];
  for (const group of byTests(faults)) {
    const trouble = await baseline(scratch, group);
    for (const fault of group) {
      const outcome = trouble === null ? await plant(scratch, fault) : { ...fault, ...trouble };
      say(`${fault.name}: ${outcome.result} ${outcome.by}`);
      outcomes.push(outcome);
    }
  }
  return findings(outcomes);
}

/** Faults of one package that are looked for by the same tests: those have to be green without a fault, once. */
function byTests(faults: readonly Fault[]): Fault[][] {
  return [...Map.groupBy(faults, ({ owner, tests }) => `${owner} ${tests.join(' ')}`).values()];
}

async function baseline(
  scratch: Scratch,
  [first]: readonly Fault[],
): Promise<Pick<Outcome, 'result' | 'by'> | null> {
  if (first === undefined) return null;
  const { failed, passed, firstFailed, trouble } = await runTests(scratch.folder, first);
  if (failed === 0 && passed > 0) return null;
  return { result: 'not judged', by: `red without any fault: ${firstFailed ?? trouble ?? 'no test ran'}` };
}

async function plant(scratch: Scratch, fault: Fault): Promise<Outcome> {
  const misfit = await scratch.plant(fault.patch);
  if (misfit !== null) return { ...fault, result: 'does not fit', by: misfit };
  const { failed, firstFailed, trouble } = await runTests(scratch.folder, fault);
  await scratch.clear(fault.patch);
  if (failed > 0) return { ...fault, result: 'caught', by: firstFailed ?? '' };
  return trouble === null
    ? { ...fault, result: 'survived', by: '' }
    : { ...fault, result: 'not judged', by: `no test ran: ${trouble}` };
}

function findings(outcomes: readonly Outcome[]): Findings {
  const caught = outcomes.filter(({ result }) => result === 'caught').length;
  const byOwner = Map.groupBy(outcomes, ({ owner }) => owner);
  const scores = [...byOwner].map(([owner, found]) => ({
    owner,
    planted: found.length,
    caught: found.filter(({ result }) => result === 'caught').length,
  }));
  return {
    holds: outcomes.length > 0 && caught === outcomes.length,
    figures: {
      planted: outcomes.length,
      caught,
      scores,
      faults: outcomes.map(({ name, owner, fault, result, by }) => ({ name, owner, fault, result, by })),
    },
    table: {
      columns: ['package', 'planted fault', 'result', 'first test that is red'],
      rows: [
        ...outcomes.map(({ owner, fault, result, by }) => [
          owner,
          fault,
          result,
          result === 'caught' ? by : '',
        ]),
        ['all', `${outcomes.length} faults`, `${caught} caught`, ''],
      ],
    },
    broken: outcomes
      .filter(({ result }) => result !== 'caught')
      .map(({ name, fault, result, by }) => `${name} (${fault}): ${result}${by === '' ? '' : `: ${by}`}`),
  };
}
