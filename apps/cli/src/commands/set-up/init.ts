import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { BatonError, commandText, shellText } from '@baton/contracts';
import type { DetectedProject } from '@baton/janitor';

import type { AddCommands } from '../../terminal/call.ts';
import type { Call } from '../../terminal/call.ts';
import type { Colors } from '../../terminal/colors.ts';
import { configName, loadConfig } from '../../plan/load-config.ts';
import { requireWritable } from '../../project/require-writable.ts';
import { makeStateFolder } from '@baton/service/state-folder';
import { openProject, type Project } from '../../project/project.ts';
import { exitCodes } from '../../terminal/render-error.ts';
import { detect, setUpText } from '../../run/detect.ts';
import { proofText, prove, type Proof } from '../../run/prove.ts';
import type { RepoOption } from '../../project/with-store.ts';
import { configTemplate, planTemplate } from '../../plan/templates.ts';

/** Names of the example plan: the second where the first is taken by a file that is no plan. */
const planNames = ['plan.yaml', 'baton-plan.yaml'] as const;

interface InitOptions extends RepoOption {
  dryRun?: boolean;
  prove: boolean;
}

interface NewFile {
  name: string;
  text: string;
}

/** `baton init`: writes `baton.yaml` with the set-up and gates that the repository has, and an example plan, and proves the gates. */
export const addInit: AddCommands = (program, define) => {
  const command = program
    .command('init')
    .description(
      'write baton.yaml with the set-up and the checks that this repository has, and an example plan; then run the checks once in a worktree',
    )
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--no-prove', 'do not run the checks')
    .option('--dry-run', 'print the files in place of writing them')
    .addHelpText(
      'after',
      `
Existing files are never overwritten; where both are there, only their gates are run. What is installed in your checkout and
ignored by git (node_modules, .venv) is taken over into worktrees; else what a lock file names is installed.
The gates run as they do before the first agent of a run: on the last commit, in a worktree of its own, after the set-up.
Exit codes: 0 all required gates are green (or were not run), 1 one is red (the files stay), 2 nothing could be done.

Examples:
  $ baton init && baton run plan.yaml
  $ baton init --no-prove
  $ baton init --dry-run`,
    );
  define(command, async (call, options: InitOptions) => {
    const project = await openProject(call, options);
    const found = await detect(call, project);
    const planName = await planNameIn(project.root);
    const files = [
      { name: configName, text: configTemplate(found) },
      { name: planName, text: planTemplate(planName) },
    ];
    if (options.dryRun === true) {
      call.out.result(viewOf({ found, files, written: [], left: [], dryRun: true, proof: null }), (colors) =>
        preview(files, colors),
      );
      return exitCodes.ok;
    }
    await requireWritable({ gitDir: project.gitDir, also: [project.root] });
    if (options.prove) await makeStateFolder(call.env.home);
    const { written, left } = await writeAll(project.root, files);
    if (written.length > 0) call.out.note(writtenText({ found, written, left }, call.out.noteColors));
    const proof = options.prove ? await proveConfig(call, project) : null;
    if (written.length === 0 && proof === null) throw allThere(left, project.root);
    call.out.result(viewOf({ found, files, written, left, dryRun: false, proof }), (colors) =>
      [
        ...(proof === null ? [] : proofText(proof, colors)),
        ...(isGreen(proof) ? nextSteps(call, path.join(project.root, planName)) : []),
      ].join('\n'),
    );
    return isGreen(proof) ? exitCodes.ok : exitCodes.unfinished;
  });
};

/** The plan is named as it is found from where the command was typed. */
function nextSteps({ cwd, out }: Call, plan: string): string[] {
  const file = path.relative(cwd, plan);
  const lines = [
    ['baton', 'plan', 'check', file],
    ['baton', 'run', file],
  ];
  return ['Next:', ...lines.map((words) => `  ${out.offer(shellText(words))}`)];
}

/** A file of that name may belong to another program. */
async function planNameIn(root: string): Promise<string> {
  const text = await readFile(path.join(root, planNames[0]), 'utf8').catch(() => null);
  return text === null || /^["']?stages["']?\s*:/m.test(text) ? planNames[0] : planNames[1];
}

function isGreen(proof: Proof | null): boolean {
  return proof === null || proof.passed;
}

/** Proves set-up and gates of `baton.yaml` as it is now; null: it has neither. */
async function proveConfig(call: Call, project: Project): Promise<Proof | null> {
  const { gates, workspace } = await loadConfig(project.root);
  if (gates.length === 0 && workspace === undefined) return null;
  return prove(call, { project, gates, workspace: workspace ?? null });
}

function viewOf({
  found,
  ...told
}: {
  found: DetectedProject;
  files: readonly NewFile[];
  written: readonly string[];
  left: readonly string[];
  dryRun: boolean;
  proof: Proof | null;
}): object {
  const { workspace, warnings } = found;
  return { ...told, gates: found.gates.map(({ gate }) => gate.name), workspace, warnings };
}

function preview(files: readonly NewFile[], colors: Colors): string {
  return files.map(({ name, text }) => `${colors.bold(`# ${name}`)}\n${text}`).join('\n');
}

function writtenText(
  { found, written, left }: { found: DetectedProject; written: readonly string[]; left: readonly string[] },
  colors: Colors,
): string {
  const gates = found.gates.map(({ gate }) => `${gate.name} (${commandText(gate.command)})`).join(', ');
  const isNew = written.includes(configName);
  return [
    `${colors.green('✔')} wrote ${written.join(' and ')}.`,
    ...left.map((name) => `  ${name} was already there and was left as it is.`),
    ...(isNew ? [`  gates: ${gates || 'none were found; add your own'}`] : []),
    ...(isNew ? [`  set-up of worktrees: ${setUpText(found.workspace)}`] : []),
    ...(isNew ? found.warnings.map((warning) => `  ${colors.yellow('note')} ${warning}`) : []),
  ].join('\n');
}

async function writeAll(
  root: string,
  files: readonly NewFile[],
): Promise<{ written: string[]; left: string[] }> {
  const written: string[] = [];
  const left: string[] = [];
  for (const { name, text } of files)
    ((await writeNew(path.join(root, name), text)) ? written : left).push(name);
  return { written, left };
}

/** Writes a file that is not there yet; false: it was left as it is. */
async function writeNew(place: string, text: string): Promise<boolean> {
  try {
    await writeFile(place, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}

function allThere(names: readonly string[], root: string): BatonError {
  return new BatonError('CONFLICT', `${names.join(' and ')} are already there; they were left as they are.`, {
    at: root,
    fix: 'See what would be written with `baton init --dry-run`.',
  });
}
