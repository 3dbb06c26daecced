import { createRequire } from 'node:module';
import path from 'node:path';
import type { Campaign, CampaignOptions, Findings } from '../campaign.ts';
import { checkPackage, type Checked } from './packed/checks.ts';
import { checkCommand, installCommand, type InstalledMb } from './packed/command.ts';
import { installAll, installKernel } from './packed/project.ts';

/** The published packages, as strangers get them. */
export const packed: Campaign = {
  name: 'packed',
  shows:
    'every public package, packed and installed by npm into an empty project, can be imported, required and compiled against, the examples of its README run and its links lead somewhere; the command, installed from one tarball, carries out a plan',
  run,
};

/** The command as installed, without Postgres. */
const mostMb = 120;

/** What is shown about a package by itself, besides its example. */
interface Subject {
  name: string;
  prints?: string;
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
  prints: 'greet CLAIMED running\n1 task waited for it\ngreet CLOSED\nwave OPEN\n',
  types: `import { openStore } from '@baton/task-store';
type Store = Awaited<ReturnType<typeof openStore>>;
export async function claim(store: Store): Promise<string[]> {
  const claim = await store.claims.claimBatch({ workerId: 'w1', leaseMs: 120_000 });
  // @ts-expect-error a claim is somebody's
  await store.claims.claimBatch({ leaseMs: 120_000 });
  return (claim?.tasks ?? []).map(({ task }) => task.key);
}
`,
};

/** The others, which say themselves whether their examples hold. */
const others: readonly Subject[] = [
  'client',
  'contracts',
  'embedded-postgres',
  'janitor',
  'plugins',
  'router-cost',
  'spawner',
  'triggers',
].map((name) => ({ name, types: `export * as all from '@baton/${name}';\n` }));

async function run({ short, say }: CampaignOptions): Promise<Findings> {
  say(short ? 'packing fsm-core and installing it offline' : 'building, packing and installing');
  await using project = await (short ? installKernel() : installAll());
  const checked: { name: string; checks: Checked[] }[] = [];
  for (const subject of short ? [kernel] : [kernel, store, ...others]) {
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
  if (short) return findings(checked, project);
  say('installing the command');
  const command = await installCommand(project);
  checked.push({ name: 'cli', checks: await checkCommand(command) });
  return findings(checked, { ...project, installedMb: command.installedMb });
}

async function sourceExports(name: string): Promise<string[]> {
  const group = name === 'client' ? 'apps' : 'packages';
  const source = path.resolve(import.meta.dirname, '../../../..', group, name, 'src/index.ts');
  return Object.keys((await import(source)) as object);
}

function findings(
  packages: readonly { name: string; checks: readonly Checked[] }[],
  sizes: { tarballs: Readonly<Record<string, number>>; installedMb?: InstalledMb },
): Findings {
  const each = packages.flatMap(({ name, checks }) => checks.map((check) => ({ name, ...check })));
  const broken = each.flatMap(({ name, what, problem }) =>
    problem === null ? [] : [`${name}, ${what}: ${problem}`],
  );
  const { postgres = 0, rest = 0 } = sizes.installedMb ?? {};
  if (rest > mostMb) broken.push(`the command takes ${rest} MB besides Postgres, more than ${mostMb}`);
  return {
    holds: broken.length === 0 && each.length > 0,
    figures: {
      checks: each.map(({ name, what, problem }) => ({ name, what, holds: problem === null })),
      tarballs: sizes.tarballs,
      ...(sizes.installedMb && { installedMb: sizes.installedMb }),
    },
    table: {
      columns: ['package', 'what', 'result'],
      rows: [
        ...each.map(({ name, what, problem }) => [name, what, problem === null ? 'works' : 'fails']),
        ...(sizes.installedMb
          ? [['cli', 'size installed', `${rest} MB, and ${postgres} MB of Postgres`]]
          : []),
      ],
    },
    broken,
  };
}
