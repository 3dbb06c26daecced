import { existsSync } from 'node:fs';
import { access, constants, glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { diffSnapshots, takeSnapshot, tempDir, until, writeFiles } from '@baton/testkit';
import { parseDocument } from 'yaml';
import { mustRun, runProgram } from '../../run-program.ts';
import { everybodysSteps, type Ground, type Repository, type Step } from './repository.ts';

/** How a stranger reaches Baton. */
export interface Reach {
  /** The program, as typed. */
  baton: readonly [string, ...string[]];
  /** Address of the model of the in-process agent. */
  modelUrl: string;
  /** Takes the place of the repository's own steps. */
  steps?: readonly Step[];
}

/** What came of one repository. */
export interface Hour {
  repository: string;
  /** Programs that it needs and that are not here; then nothing was tried. */
  missing: readonly string[];
  /** Commands typed up to the first landed work, and how long they took together. */
  commands: number;
  seconds: number;
  /** What was not as it should be, with the end of what was printed. */
  problems: readonly string[];
}

/** What Baton may add to a repository: its own two files, and its branches. */
const ours = [/^ref refs\/(heads\/)?baton\//, /^file (linked\/)?(baton|plan|baton-plan|break)\.yaml$/];

/** Plays the first hour in one repository, with a state folder of its own, up to the first step that fails. */
export async function firstHour(repository: Repository, reach: Reach): Promise<Hour> {
  const missing: string[] = [];
  for (const program of repository.needs ?? []) if (!(await isInPath(program))) missing.push(program);
  const hour = { repository: repository.name, missing, commands: 0, seconds: 0, problems: [] as string[] };
  if (missing.length > 0) return hour;
  await using place = await tempDir();
  const env = surroundings(path.join(place.path, 'state'));
  const root = path.join(place.path, repository.folder ?? 'repository');
  await make(repository, { place: place.path, root, env });
  let hasLanded = false;
  for (const step of reach.steps ?? repository.steps ?? everybodysSteps) {
    const before = await takeSnapshot(root);
    await edit(root, step, reach);
    const edited = step.edits === undefined ? before : await takeSnapshot(root);
    const argv = step.type[0] === 'git' ? step.type : [...reach.baton, ...step.type];
    const ran = await runProgram(argv as [string, ...string[]], {
      cwd: path.join(root, repository.cwd ?? '.'),
      env,
    });
    if (!hasLanded) {
      hour.commands += 1;
      hour.seconds += ran.durationMs / 1_000;
    }
    const printed = `${ran.stdout}${ran.stderr}`;
    const problems = judge(step, { exitCode: ran.exitCode, printed, gates: repository.gates });
    if (step.type[0] !== 'git' && step.moves !== true)
      for (const { what } of diffSnapshots(edited, await takeSnapshot(root), { except: ours }))
        problems.push(`changes ${what} of the user`);
    if (step.moves === true && (await headOf(root)) === before[headName(before)])
      problems.push('moves nothing');
    if (problems.length > 0) {
      const typed = step.type[0] === 'git' ? step.type.join(' ') : `baton ${step.type.join(' ')}`;
      hour.problems.push(`${typed}: ${problems.join('; ')}. It printed:\n${tail(printed)}`);
      break;
    }
    hasLanded ||= step.lands === true;
  }
  await awaitNoServer(place.path).catch((error: Error) => hour.problems.push(error.message));
  return hour;
}

/** What is wrong with the outcome of a step. */
function judge(
  step: Step,
  { exitCode, printed, gates }: { exitCode: number; printed: string; gates: readonly string[] },
): string[] {
  const problems: string[] = [];
  if (exitCode !== (step.exit ?? 0)) problems.push(`ends with ${exitCode}, not ${step.exit ?? 0}`);
  if (step.says && !step.says.test(printed)) problems.push(`does not say ${step.says.source}`);
  if (step.type[0] === 'init' && step.exit !== 2)
    for (const gate of gates) if (!printed.includes(gate)) problems.push(`does not name the gate "${gate}"`);
  return problems;
}

async function make(
  { files, before, after, isEmpty }: Repository,
  { place, root, env }: { place: string; root: string; env: Record<string, string | undefined> },
): Promise<void> {
  const beside = path.join(place, 'beside');
  await Promise.all([mkdir(root), mkdir(beside)]);
  const run = (...argv: [string, ...string[]]) => mustRun(argv, { cwd: root, env });
  const ground: Ground = { root, beside, run, write: (more) => writeFiles(root, more) };
  await run('git', 'init', '--quiet', '--initial-branch=main');
  await writeFiles(root, files);
  await before?.(ground);
  if (!isEmpty) {
    await run('git', 'add', '--all');
    await run('git', 'commit', '--quiet', '-m', 'first commit');
  }
  await after?.(ground);
}

/** What a stranger changes with an editor: another file, or the agent that baton.yaml names. */
async function edit(root: string, { edits }: Step, { modelUrl }: Reach): Promise<void> {
  if (edits === undefined) return;
  if (edits !== 'agent') return writeFiles(root, edits);
  const file = path.join(root, 'baton.yaml');
  const document = parseDocument(await readFile(file, 'utf8'));
  document.setIn(['agents'], { helper: { in_process: 'local/scripted', base_url: `${modelUrl}/v1` } });
  document.setIn(['agent'], 'helper');
  await writeFile(file, document.toString());
}

/** Variables: the machine's own, with a state folder of this repository, an author, and nothing else that steers git or Baton. */
export function surroundings(state: string): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(GIT_|BATON_|npm_|NODE_OPTIONS$|DATABASE_URL$|INIT_CWD$)/i.test(name),
  );
  const who = { NAME: 'A Stranger', EMAIL: 'stranger@example.invalid' };
  return {
    ...Object.fromEntries(kept),
    PATH: [path.dirname(process.execPath), process.env.PATH].join(path.delimiter),
    BATON_HOME: state,
    BATON_POSTGRES_KEEP_SECONDS: '10',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: who.NAME,
    GIT_AUTHOR_EMAIL: who.EMAIL,
    GIT_COMMITTER_NAME: who.NAME,
    GIT_COMMITTER_EMAIL: who.EMAIL,
    npm_config_update_notifier: 'false',
  };
}

const headName = (snapshot: Readonly<Record<string, string>>) =>
  `ref ${(snapshot['HEAD'] ?? '').replace('ref: ', '').trim()}`;

async function headOf(root: string): Promise<string | undefined> {
  const after = await takeSnapshot(root);
  return after[headName(after)];
}

/** Waits until no server of a state folder below this one is left. */
export async function awaitNoServer(folder: string): Promise<void> {
  await until(async () => !(await hasServer(folder)), { what: 'no server is left', timeoutMs: 60_000 });
}

async function hasServer(folder: string): Promise<boolean> {
  for await (const _ of glob('**/postmaster.pid', { cwd: path.join(folder, 'state') })) return true;
  return false;
}

/** Whether there is a program of this name in PATH. */
export async function isInPath(program: string): Promise<boolean> {
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    const file = path.join(folder, program);
    if (
      existsSync(file) &&
      (await access(file, constants.X_OK).then(
        () => true,
        () => false,
      ))
    )
      return true;
  }
  return false;
}

const tail = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .slice(-15)
    .map((line) => `    ${line}`)
    .join('\n');
