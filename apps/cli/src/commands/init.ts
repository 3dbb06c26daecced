import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { BatonError } from '@baton/contracts';
import type { DetectedProject } from '@baton/janitor';

import type { AddCommands } from '../cli.ts';
import type { Colors } from '../colors.ts';
import { configName } from '../plan/load-config.ts';
import { openProject } from '../project.ts';
import { detect, setUpText } from '../run/detect.ts';
import type { RepoOption } from '../with-store.ts';
import { configTemplate, planTemplate } from '../templates.ts';

/** Name of the example plan. */
const planName = 'plan.yaml';

interface InitOptions extends RepoOption {
  dryRun?: boolean;
}

/** `baton init`: writes `baton.yaml` with the set-up and gates that the repository has, and an example plan. */
export const addInit: AddCommands = (program, define) => {
  const command = program
    .command('init')
    .description(
      'write baton.yaml with the set-up and the checks that this repository has, and an example plan',
    )
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--dry-run', 'print the files in place of writing them')
    .addHelpText(
      'after',
      '\nExisting files are never overwritten.\n\nExamples:\n  $ baton init && baton run plan.yaml\n  $ baton init --dry-run',
    );
  define(command, async (call, options: InitOptions) => {
    const project = await openProject(call, options);
    const found = await detect(call, project);
    const dryRun = options.dryRun === true;
    const files = [
      { name: configName, text: configTemplate(found) },
      { name: planName, text: planTemplate() },
    ];
    const left: string[] = [];
    for (const file of dryRun ? [] : files)
      if (!(await writeNew(path.join(project.root, file.name), file.text))) left.push(file.name);
    if (left.length === files.length) throw allThere(left, project.root);
    const written = dryRun ? [] : files.map(({ name }) => name).filter((name) => !left.includes(name));
    const view = {
      dryRun,
      files,
      written,
      left,
      gates: found.gates.map(({ gate }) => gate.name),
      workspace: found.workspace,
      warnings: found.warnings,
    };
    call.out.result(view, (colors) =>
      dryRun ? preview(files, colors) : told({ found, written, left }, colors),
    );
  });
};

function preview(files: readonly { name: string; text: string }[], colors: Colors): string {
  return files.map(({ name, text }) => `${colors.bold(`# ${name}`)}\n${text}`).join('\n');
}

function told(
  { found, written, left }: { found: DetectedProject; written: readonly string[]; left: readonly string[] },
  colors: Colors,
): string {
  const gates = found.gates.map(({ gate }) => `${gate.name} (${gate.command.join(' ')})`).join(', ');
  const isNew = written.includes(configName);
  return [
    `${colors.green('✔')} wrote ${written.join(' and ')}.`,
    ...left.map((name) => `  ${name} was already there and was left as it is.`),
    ...(isNew ? [`  gates: ${gates || 'none were found; add your own'}`] : []),
    ...(isNew ? [`  set-up of worktrees: ${setUpText(found.workspace)}`] : []),
    ...(isNew ? found.warnings.map((warning) => `  ${colors.yellow('note')} ${warning}`) : []),
    'Next:',
    '  baton plan check plan.yaml',
    '  baton run plan.yaml',
  ].join('\n');
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
