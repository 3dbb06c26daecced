import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { BatonError } from '@baton/contracts';
import { detectGates } from '@baton/janitor';

import type { AddCommands } from '../cli.ts';
import { configName } from '../plan/load-config.ts';
import { openProject } from '../project.ts';
import type { RepoOption } from '../with-store.ts';
import { configTemplate, planTemplate } from '../templates.ts';

/** Name of the example plan. */
const planName = 'plan.yaml';

/** `baton init`: writes `baton.yaml` with the gates that the repository already has, and an example plan. */
export const addInit: AddCommands = (program, define) => {
  const command = program
    .command('init')
    .description('write baton.yaml with the checks that this repository already has, and an example plan')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--dry-run', 'print the files in place of writing them')
    .addHelpText(
      'after',
      '\nExisting files are never overwritten.\n\nExamples:\n  $ baton init && baton run plan.yaml\n  $ baton init --dry-run',
    );
  define(command, async (call, options: RepoOption & { dryRun?: boolean }) => {
    const project = await openProject(call, options);
    const gates = (await detectGates(project.root)).map((found) => found.gate);
    const files = [
      { name: configName, text: configTemplate(gates) },
      { name: planName, text: planTemplate() },
    ];
    for (const file of options.dryRun ? [] : files) await writeNew(path.join(project.root, file.name), file);
    call.out.result(
      { dryRun: options.dryRun === true, files, gates: gates.map((gate) => gate.name) },
      (colors) => {
        if (options.dryRun)
          return files.map((file) => `${colors.bold(`# ${file.name}`)}\n${file.text}`).join('\n');
        return [
          `${colors.green('✔')} wrote ${configName} (${gates.length === 0 ? 'no checks were found: add your own' : `gates: ${gates.map((gate) => gate.name).join(', ')}`}) and ${planName}.`,
          'Next:',
          '  baton plan check plan.yaml',
          '  baton run plan.yaml',
        ].join('\n');
      },
    );
  });
};

async function writeNew(place: string, { name, text }: { name: string; text: string }): Promise<void> {
  await writeFile(place, text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw new BatonError('CONFLICT', `${name} is already there; it was left as it is.`, {
      at: place,
      fix: 'See what would be written with `baton init --dry-run`.',
      cause: error,
    });
  });
}
