import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { appArguments, tempDir } from '@baton/testkit';
import { stringify } from 'yaml';
import { z } from 'zod';
import { mustRun, runProgram } from '../../run-program.ts';
import { makeBenchRepo } from '../bench-repo.ts';
import type { Work } from './order.ts';

/** One run as it is ordered. */
export interface TrialOrder {
  works: readonly Work[];
  /** One after the other, as `every_commit` asks for; together; together with the next train verified beside the present one. */
  way: 'one at a time' | 'trains' | 'trains, next ahead';
  gateSeconds: number;
  seed: number;
}

/** What came of it. */
export interface Trial extends TrialOrder {
  landed: number;
  /** Gate runs after the one about the base. */
  gateRuns: number;
  /** From the moment at which the agents may finish to the end of the command. */
  seconds: number;
  problems: string[];
}

const result = z.object({
  target: z.string(),
  tasks: z.array(z.object({ key: z.string(), status: z.string() })),
});

/** Plays one run through `baton run`: all agents finish at the same moment, so that all of their work waits. */
export async function play(order: TrialOrder, say: (line: string) => void): Promise<Trial> {
  await using folder = await tempDir();
  const at = (name: string) => path.join(folder.path, name);
  for (const name of ['repo', 'started', 'asked']) mkdirSync(at(name));
  await makeBenchRepo(at('repo'), { files: 20, seed: order.seed });
  writeFileSync(at('plan.yaml'), planOf(order, at));
  const { DATABASE_URL: _, ...env } = process.env;
  const running = runProgram(
    [
      ...[process.execPath, ...appArguments('cli'), 'run', at('plan.yaml')],
      ...['--repo', at('repo'), '--json'],
    ] as [string, ...string[]],
    {
      cwd: folder.path,
      env: { ...env, BATON_HOME: at('home'), BATON_POSTGRES_KEEP_SECONDS: '0' },
      onStderr: (text) => say(text.trimEnd()),
    },
  );
  const ran = await running;
  const end = performance.timeOrigin + performance.now();
  const parsed = ran.stdout.trim() === '' ? undefined : result.safeParse(JSON.parse(ran.stdout));
  if (!parsed?.success) throw new Error(`baton run gave no result (${ran.exitCode}): ${ran.stderr}`);
  const go = existsSync(at('go')) ? Number(readFileSync(at('go'), 'utf8')) : end / 1_000;
  const closed = parsed.data.tasks.filter(({ status }) => status === 'CLOSED').map(({ key }) => key);
  return {
    ...order,
    landed: closed.length,
    gateRuns: readdirSync(at('asked')).length - 1,
    seconds: end / 1_000 - go,
    problems: [
      ...wronglyDecided(order.works, closed),
      ...(await wrongTarget(at('repo'), { target: parsed.data.target, closed })),
    ],
  };
}

/** An agent says that it is there, waits for all others, and writes its file; the last one lets them go. */
function planOf({ works, way, gateSeconds }: TrialOrder, at: (name: string) => string): string {
  const meet = (key: string) =>
    [
      `: > '${at('started')}/${key}'`,
      `if [ "$(ls '${at('started')}' | wc -l)" -eq ${works.length} ]; then date +%s.%N > '${at('go')}.new'; mv '${at('go')}.new' '${at('go')}'; fi`,
      `while [ ! -e '${at('go')}' ]; do sleep 0.1; done`,
      `echo work > out/${key}.txt`,
    ].join('\n');
  const judge = [
    `mktemp '${at('asked')}/XXXXXXXX' > /dev/null`,
    `sleep ${gateSeconds}`,
    `! ls out | grep -q '^bad-' && [ "$(ls out | grep -c '^pair-')" -lt 2 ]`,
  ].join('\n');
  return stringify({
    name: 'train',
    max_agents: works.length,
    ...(way === 'trains, next ahead' ? { verify_ahead: true } : {}),
    gates: [
      {
        name: 'tests',
        command: ['sh', '-c', judge],
        ...(way === 'one at a time' ? { every_commit: true } : {}),
      },
    ],
    stages: [
      {
        name: 'all',
        steps: works.map(({ key }) => ({
          ...{ key, title: `Work ${key}`, scope: 'small', max_retries: 0, signals: [] },
          agent: { command: ['sh', '-c', meet(key)] },
        })),
      },
    ],
  });
}

/** Whoever is bad is refused, whoever is good lands, and of the pair exactly one does. */
function wronglyDecided(works: readonly Work[], closed: readonly string[]): string[] {
  const landed = (kind: Work['kind']) =>
    works.filter((work) => work.kind === kind && closed.includes(work.key));
  const good = works.filter(({ kind, key }) => kind === 'good' && !closed.includes(key));
  return [
    ...good.map(({ key }) => `${key} did not land, though nothing is wrong with it`),
    ...landed('bad').map(({ key }) => `${key} landed`),
    ...(landed('pair').length === 1 ? [] : [`${landed('pair').length} of the pair landed`]),
  ];
}

/** The target never stood at a red tree, and has each landed task once. */
async function wrongTarget(
  repo: string,
  { target, closed }: { target: string; closed: readonly string[] },
): Promise<string[]> {
  const lines = async (...args: string[]) =>
    (await mustRun(['git', ...args], { cwd: repo })).stdout.split('\n').filter((line) => line !== '');
  const problems: string[] = [];
  for (const commit of await lines('reflog', 'show', '--format=%H', `refs/heads/${target}`)) {
    const names = await lines('ls-tree', '-r', '--name-only', commit, 'out/');
    const isRed =
      names.some((name) => name.startsWith('out/bad-')) ||
      names.filter((name) => name.startsWith('out/pair-')).length > 1;
    if (isRed) problems.push(`the target stood at ${commit}, which is red`);
  }
  const subjects = await lines('log', '--format=%s', `main..${target}`);
  const wanted = closed.map((key) => `Work ${key}`).sort();
  if (JSON.stringify(subjects.sort()) !== JSON.stringify(wanted))
    problems.push(`the target has ${subjects.length} commits for ${wanted.length} tasks`);
  return problems;
}
