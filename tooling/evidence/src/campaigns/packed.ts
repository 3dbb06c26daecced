import { createRequire } from 'node:module';
import path from 'node:path';
import type { Campaign, CampaignOptions, Findings } from '../campaign.ts';
import { checkPackage, type Checked } from './packed/checks.ts';
import { build, installPacked } from './packed/project.ts';

/** The published packages, as strangers get them. */
export const packed: Campaign = {
  name: 'packed',
  shows:
    'fsm-core and task-store, packed and installed by npm into an empty project, can be imported, required and compiled against, and the examples of their READMEs run',
  run,
};

/** What is shown about a package by itself, besides its example. */
interface Subject {
  name: string;
  prints: string;
  types: string;
}

const kernel: Subject = {
  name: 'fsm-core',
  prints: `CLAIMED
start { ok: false, code: 'stale' }
{ ok: true, state: 'IN_PROGRESS', seq: 2, refused: 0 }
open
{ ok: false, code: 'guard' }
initial names unknown state ajar
InvalidTransitionError: door in open cannot take event lock (illegal). Legal here: close → closed.
`,
  types: `import { taskMachine, transition, type TaskStatus } from '@baton/fsm-core';
import { turnMachine } from '@baton/fsm-core/machines/turn';
const claimed: 'CLAIMED' = transition(taskMachine, 'OPEN', 'claim');
const running: 'RUNNING' = transition(turnMachine, 'COMPACTING', 'compact_completed');
const status: TaskStatus = claimed;
// @ts-expect-error no rule leads from OPEN on start
transition(taskMachine, 'OPEN', 'start');
export { running, status };
`,
};

const store: Subject = {
  name: 'task-store',
  prints: "greet CLAIMED running\n{ ok: true, taskStatus: 'OPEN' }\n",
  types: `import { openStore } from '@baton/task-store';
type Store = Awaited<ReturnType<typeof openStore>>;
export async function claim(store: Store): Promise<string[]> {
  const capabilities = { host: 'here', labels: [] };
  const claim = await store.claimBatch({ workerId: 'w1', maxTasks: 1, leaseMs: 120_000, capabilities });
  // @ts-expect-error a lease has a length
  await store.claimBatch({ workerId: 'w1', maxTasks: 1, capabilities });
  return (claim?.tasks ?? []).map(({ task }) => task.key);
}
`,
};

/** The kernel needs nobody; the store needs the packages below it, and its example a Postgres. */
const all = ['contracts', 'embedded-postgres', 'fsm-core', 'task-store'];

async function run({ short, say }: CampaignOptions): Promise<Findings> {
  if (!short) {
    say('building');
    await build(all);
  }
  say(short ? 'packing fsm-core and installing it offline' : 'packing and installing, with the registry');
  await using project = await installPacked(
    short
      ? { packages: [kernel.name], registry: [] }
      : { packages: all, registry: ['typescript@6.0.3', '@types/node@24'] },
  );
  const checked: { name: string; checks: Checked[] }[] = [];
  for (const subject of short ? [kernel] : [kernel, store]) {
    say(`looking at ${subject.name}`);
    const tsc = createRequire(short ? import.meta.url : path.join(project.folder, 'package.json'));
    const look = {
      ...subject,
      folder: project.folder,
      tsc: tsc.resolve('typescript/lib/tsc.js'),
      exports: await sourceExports(subject.name),
    };
    checked.push({ name: subject.name, checks: await checkPackage(look) });
  }
  return findings(checked, project.tarballs);
}

async function sourceExports(name: string): Promise<string[]> {
  const source = path.resolve(import.meta.dirname, '../../../../packages', name, 'src/index.ts');
  return Object.keys((await import(source)) as object);
}

function findings(
  packages: readonly { name: string; checks: readonly Checked[] }[],
  tarballs: Readonly<Record<string, number>>,
): Findings {
  const each = packages.flatMap(({ name, checks }) => checks.map((check) => ({ name, ...check })));
  const broken = each.flatMap(({ name, what, problem }) =>
    problem === null ? [] : [`${name}, ${what}: ${problem}`],
  );
  return {
    holds: broken.length === 0 && each.length > 0,
    figures: {
      checks: each.map(({ name, what, problem }) => ({ name, what, holds: problem === null })),
      tarballs,
    },
    table: {
      columns: ['package', 'what', 'result'],
      rows: each.map(({ name, what, problem }) => [name, what, problem === null ? 'works' : 'fails']),
    },
    broken,
  };
}
