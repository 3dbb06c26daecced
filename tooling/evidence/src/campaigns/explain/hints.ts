import { hostname } from 'node:os';
import { PassThrough } from 'node:stream';
import type { Explanation } from '@baton/task-store';
import { createRepo, tempDir } from '@baton/testkit';
import { loadCommands } from '../../../../../apps/cli/src/commands.ts';
import { runCli } from '../../../../../apps/cli/src/index.ts';
import type { Stage } from './stage.ts';

/** What became of one command that an explanation offers. */
export interface Hint {
  /** Its words without names and amounts: `baton retry`. */
  kind: string;
  /** moved: it was carried out · allowed: with `--dry-run` · elsewhere: the stories of the apps carry it out. */
  done: 'moved' | 'allowed' | 'elsewhere';
  problem: string | null;
}

const offered = /(?:^|`|&& |: )((?:[A-Z_]+=\S+ )*(?:baton|git|kill) [^`&,]+)/g;

/** The command lines that an advice offers, in order; none in one that only a person can follow. */
export const commandsIn = (advice: string): string[] =>
  [...advice.matchAll(offered)].map(([, line = '']) => line.trim());

/** Carries out what the explanation offers, one command after the other, and looks whether that helped. */
export async function followHints(stage: Stage, taskId: string, found: Explanation): Promise<Hint[]> {
  const lines = commandsIn(found.unblock ?? '');
  if (!lines.some((line) => doneOf(line) !== 'elsewhere'))
    return lines.map((line) => ({ kind: kindOf(line), done: 'elsewhere', problem: null }));
  await using repo = await createRepo({ 'readme.txt': 'hello\n' });
  await using home = await tempDir();
  const hints: Hint[] = [];
  for (const line of lines) {
    const done = doneOf(line);
    const hint: Hint = { kind: kindOf(line), done, problem: null };
    hints.push(hint);
    if (done === 'elsewhere') continue;
    const before = await stateOf(stage, taskId);
    const args = line.replace('<usd>', '1000').split(' ').slice(1);
    const call = await inItsRepo(stage, repo.path, () =>
      callBaton(stage, {
        args: done === 'allowed' ? [...args, '--dry-run'] : args,
        cwd: repo.path,
        home: home.path,
      }),
    );
    if (call.exitCode !== 0) hint.problem = `\`${line}\` is refused: ${call.stderr.trim()}`;
    else if (done === 'moved' && (await stateOf(stage, taskId)) === before)
      hint.problem = `\`${line}\` changes nothing`;
  }
  return hints;
}

/** A process that carries a run, or brings back a branch, needs more than a store: a repository and agents. */
function doneOf(line: string): Hint['done'] {
  if (/^baton run --resume \S+$/.test(line)) return 'allowed';
  return /^baton (?!run|up)/.test(line) ? 'moved' : 'elsewhere';
}

function kindOf(line: string): string {
  const words = line.split(' ').filter((word) => !/^[A-Z_]+=/.test(word));
  const named = /^(baton plan \w+|baton run --resume|baton budget none|git -C|\w+ -?\w+)/.exec(
    words.join(' '),
  );
  return named?.[1] ?? words.join(' ');
}

/** All that a command could have changed: what is said of the task, and the states of tasks and runs. */
async function stateOf(stage: Stage, taskId: string): Promise<string> {
  const { cause, also } = await stage.store.tasks.explain(taskId);
  const runs = await Promise.all(
    [...stage.runs.values()].map(async (runId) => {
      const run = await stage.store.runs.get(runId);
      const { items } = await stage.store.tasks.list({ runId });
      return [run?.status, items.map(({ key, status, settled }) => [key, status, settled])];
    }),
  );
  return JSON.stringify([cause, also, runs]);
}

/** A person types a command in the repository and on its host, which the cases call `/repo` and `here`. */
async function inItsRepo<T>(stage: Stage, location: string, work: () => Promise<T>): Promise<T> {
  const move = (from: readonly [string, string], to: readonly [string, string]) =>
    stage.sql(
      `UPDATE repo SET location = '${to[0]}', host = '${to[1]}' WHERE location = '${from[0]}' AND host = '${from[1]}'`,
    );
  const [inCase, here] = [
    ['/repo', 'here'],
    [location, hostname()],
  ] as const;
  await move(inCase, here);
  try {
    return await work();
  } finally {
    await move(here, inCase);
  }
}

async function callBaton(
  { url }: Stage,
  { args, cwd, home }: { args: readonly string[]; cwd: string; home: string },
): Promise<{ exitCode: number; stderr: string }> {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  let stderr = '';
  streams.stdout.resume();
  streams.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const variables = { PATH: process.env['PATH'], HOME: home, BATON_HOME: home, DATABASE_URL: url };
  const exitCode = await runCli(args, { loadCommands, version: '0.0.0', streams, variables, cwd });
  return { exitCode, stderr };
}
