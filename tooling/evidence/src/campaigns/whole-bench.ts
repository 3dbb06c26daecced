import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tempDir } from '@baton/testkit';
import { z } from 'zod';
import type { Campaign, CampaignOptions, Findings } from '../campaign.ts';
import { mustRun, runProgram } from '../run-program.ts';
import { measureFloors, type Floors } from './bench-floors.ts';
import { benchPlan, benchTasks, type BenchTask } from './bench-plan.ts';
import { makeBenchRepo } from './bench-repo.ts';

const maxRatio = 1.5;
const command = path.resolve(import.meta.dirname, '../../../../apps/cli/dist/main.js');

/** What the campaign reads of `baton run --json`; the rest of that object is not its business. */
const runResult = z.object({
  target: z.string(),
  durationMs: z.number(),
  tasks: z.array(z.object({ key: z.string(), status: z.string(), attempts: z.number() })),
});

interface BatonRun {
  exitCode: number;
  wallMs: number;
  result: z.output<typeof runResult>;
}

/** A whole plan through the real command, against what its outside programs need by themselves. */
export const wholeBench: Campaign = {
  name: 'whole-bench',
  shows: `a plan of small tasks takes at most ${maxRatio} times the sum of its git, process and gate floors, from creation to landed`,
  run: bench,
};

async function bench({ short, seed, say }: CampaignOptions): Promise<Findings> {
  if (!existsSync(command)) throw new Error('The command is not built. Run: pnpm build');
  const size = short ? { files: 300, tasks: 6 } : { files: 5000, tasks: 100 };
  await using folder = await tempDir();
  const [repo, clone] = [path.join(folder.path, 'repo'), path.join(folder.path, 'clone')];
  mkdirSync(repo);
  say(`making a repository of ${size.files} files`);
  await makeBenchRepo(repo, { files: size.files, seed });
  await mustRun(['git', 'clone', '--quiet', repo, clone], { cwd: folder.path });
  const tasks = benchTasks(size.tasks);
  const half = Math.ceil(tasks.length / 2);
  say('first half of the floors');
  const before = await measureFloors(clone, tasks.slice(0, half));
  say(`baton run: ${tasks.length} tasks`);
  const run = await runBaton(folder.path, tasks, say);
  say('second half of the floors');
  const after = await measureFloors(clone, tasks.slice(half));
  const landed = await landedFiles(repo, run.result.target);
  return judge({ size, run, landed, floors: add(before, after), short });
}

async function runBaton(
  folder: string,
  tasks: readonly BenchTask[],
  say: (line: string) => void,
): Promise<BatonRun> {
  const file = path.join(folder, 'plan.yaml');
  writeFileSync(file, benchPlan(tasks));
  const { DATABASE_URL: _, ...env } = process.env;
  const ran = await runProgram(
    [process.execPath, command, 'run', file, '--repo', path.join(folder, 'repo'), '--json'],
    {
      cwd: folder,
      env: { ...env, BATON_HOME: path.join(folder, 'home'), BATON_POSTGRES_KEEP_SECONDS: '0' },
      onStderr: (text) => say(text.trimEnd()),
    },
  );
  const parsed = ran.stdout.trim() === '' ? undefined : runResult.safeParse(JSON.parse(ran.stdout));
  if (!parsed?.success)
    throw new Error(`baton run gave no result (exit code ${ran.exitCode}): ${ran.stderr}`);
  return { exitCode: ran.exitCode, wallMs: ran.durationMs, result: parsed.data };
}

async function landedFiles(repo: string, target: string): Promise<Set<string>> {
  const { stdout } = await mustRun(['git', 'ls-tree', '-r', '--name-only', target, 'out/'], { cwd: repo });
  return new Set(stdout.split('\n').filter((line) => line.endsWith('.txt')));
}

const add = (a: Floors, b: Floors): Floors => ({
  gitMs: a.gitMs + b.gitMs,
  processMs: a.processMs + b.processMs,
  gateMs: a.gateMs + b.gateMs,
});

interface Measured {
  size: { files: number; tasks: number };
  run: BatonRun;
  landed: ReadonlySet<string>;
  floors: Floors;
  short: boolean;
}

function judge({ size, run, landed, floors, short }: Measured): Findings {
  const floorMs = floors.gitMs + floors.processMs + floors.gateMs;
  const ratio = run.result.durationMs / floorMs;
  const wallRatio = run.wallMs / floorMs;
  const closed = run.result.tasks.filter((task) => task.status === 'CLOSED').length;
  const attempts = run.result.tasks.reduce((sum, task) => sum + task.attempts, 0);
  const broken = [
    ...(closed === size.tasks ? [] : [`${closed} of ${size.tasks} tasks are CLOSED.`]),
    ...(landed.size === size.tasks ? [] : [`${landed.size} of ${size.tasks} files are on the target.`]),
    ...(run.exitCode === 0 ? [] : [`baton run ended with ${run.exitCode}.`]),
    // The short form is too small for its time to say anything; it shows that the whole way works.
    ...(short || ratio <= maxRatio ? [] : [`The ratio is ${ratio.toFixed(2)}, above ${maxRatio}.`]),
  ];
  const perTask = (ms: number) => (ms / size.tasks).toFixed(1);
  const row = (name: string, ms: number) => [
    name,
    (ms / 1000).toFixed(2),
    perTask(ms),
    (ms / floorMs).toFixed(2),
  ];
  return {
    holds: broken.length === 0,
    figures: {
      ...size,
      closed,
      attempts,
      ...rounded({ ...floors, floorMs }),
      ...rounded({ runMs: run.result.durationMs, wallMs: run.wallMs }),
      ratio: round(ratio),
      wallRatio: round(wallRatio),
    },
    table: {
      columns: ['part', 'seconds', 'ms a task', 'of the floor'],
      rows: [
        row('git', floors.gitMs),
        row('agent processes', floors.processMs),
        row('gate', floors.gateMs),
        row('floor: their sum, one after the other', floorMs),
        row('baton run: creation to landed', run.result.durationMs),
        row('baton run: the whole command', run.wallMs),
      ],
    },
    broken,
  };
}

const round = (value: number) => Math.round(value * 100) / 100;
const rounded = <K extends string>(values: Record<K, number>) =>
  Object.fromEntries(Object.entries<number>(values).map(([name, value]) => [name, Math.round(value)]));
