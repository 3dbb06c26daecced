import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { mustRun, runProgram, type Ran } from '../../run-program.ts';
import { countedGit } from './counted-git.ts';
import type { Finished, MemorySample } from './moments.ts';
import { benchPlan, benchTasks } from './plan.ts';
import type { Scene } from './scene.ts';
import { countStatements } from './statements.ts';
import { watchCommand } from './watch.ts';

const command = path.resolve(import.meta.dirname, '../../../../../apps/cli/dist/main.js');

/** One run of the command as it is ordered. */
export interface PassOrder {
  files: number;
  tasks: number;
  agents: number;
  /** Whether git processes and statements are counted, which costs a little time. */
  counts: boolean;
}

/** What came of it. */
export interface Pass extends PassOrder {
  /** From the creation of the run to the last landing, by the command's own account. */
  durationMs: number;
  /** CPU time of the command, of all that it started, and of Postgres. */
  cpuMs: number;
  /** Starts of git by kind, statements by their beginning; empty where they were not counted. */
  gits: ReadonlyMap<string, number>;
  statements: ReadonlyMap<string, number>;
  finished: readonly Finished[];
  memory: readonly MemorySample[];
  problems: string[];
}

/** What is read of `baton run --json`; the rest of that object is not the bench's business. */
const runResult = z.object({
  target: z.string(),
  durationMs: z.number(),
  tasks: z.array(z.object({ key: z.string(), status: z.string() })),
});

const finishedSql = `SELECT extract(epoch FROM a.done_at)::float8 * 1000 AS done_at, l.confirmed_at IS NOT NULL AS landed,
    extract(epoch FROM coalesce(l.confirmed_at, a.ended_at))::float8 * 1000 AS left_at
  FROM attempt a LEFT JOIN landing l ON l.attempt_id = a.id AND l.confirmed_at IS NOT NULL WHERE a.done_at IS NOT NULL`;

/**
 * Plays a plan through the built command, on a repository, a state folder and a database of its own.
 *
 * @throws Error when the command is not built, or ends without a result
 */
export async function playPass(scene: Scene, order: PassOrder): Promise<Pass> {
  if (!existsSync(command)) throw new Error('The command is not built. Run: pnpm build');
  const { server, observer } = scene;
  const folder = scene.folder();
  const [repo, plan] = [path.join(folder, 'repo'), path.join(folder, 'plan.yaml')];
  await scene.copyRepo(repo, order);
  const tasks = benchTasks(order.tasks);
  writeFileSync(plan, benchPlan(tasks, order));
  const url = await server.database('whole', { usesStore: true });
  const sent = order.counts ? await countStatements(server, { url, observer }) : null;
  const PATH = process.env['PATH'] ?? '';
  const git = order.counts ? countedGit(path.join(folder, 'bin'), { PATH }) : null;
  const serverMs = scene.serverCpuMs();
  const watch = watchCommand(scene, order);
  const ran = await runProgram([process.execPath, command, 'run', plan, '--repo', repo, '--json'], {
    cwd: folder,
    env: {
      ...process.env,
      DATABASE_URL: url,
      BATON_HOME: path.join(folder, 'home'),
      PATH: git?.PATH ?? PATH,
    },
    onStart: (pid) => watch.begin(pid),
    onStderr: (text) => watch.told(text),
  });
  const { cpuMs, memory } = watch.end();
  const usedMs = cpuMs + scene.serverCpuMs() - serverMs;
  const statements = (await sent?.sent()) ?? new Map<string, number>();
  const result = resultOf(ran);
  const finished = (await server.sql(url, finishedSql)).map((row) => ({
    doneAt: Number(row['done_at']),
    leftAt: row['left_at'] === null ? null : Number(row['left_at']),
    landed: row['landed'] === true,
  }));
  await server.drop(url, { isKept: true });
  return {
    ...order,
    ...{ durationMs: result.durationMs, cpuMs: usedMs, memory, finished, statements },
    gits: git?.starts() ?? new Map(),
    problems: await problemsOf(repo, { order, result, exitCode: ran.exitCode }),
  };
}

function resultOf({ stdout, stderr, exitCode }: Ran): z.output<typeof runResult> {
  const parsed = stdout.trim() === '' ? undefined : runResult.safeParse(JSON.parse(stdout));
  if (!parsed?.success) throw new Error(`baton run gave no result (exit code ${exitCode}): ${stderr}`);
  return parsed.data;
}

/** Every task must be closed, and its file be on the target. */
async function problemsOf(
  repo: string,
  { order, result, exitCode }: { order: PassOrder; result: z.output<typeof runResult>; exitCode: number },
): Promise<string[]> {
  const listed = await mustRun(['git', 'ls-tree', '-r', '--name-only', result.target, 'out/'], { cwd: repo });
  const landed = new Set(listed.stdout.split('\n').filter((line) => line.endsWith('.txt'))).size;
  const closed = result.tasks.filter((task) => task.status === 'CLOSED').length;
  return [
    ...(closed === order.tasks ? [] : [`${closed} of ${order.tasks} tasks are CLOSED.`]),
    ...(landed === order.tasks ? [] : [`${landed} of ${order.tasks} files are on the target.`]),
    ...(exitCode === 0 ? [] : [`baton run ended with ${exitCode}.`]),
  ];
}
