import type { Command } from 'commander';

import type { Define } from '../../terminal/call.ts';
import { count, listed, oneLine, table } from '../../terminal/format.ts';
import { checkPlanFile } from '../../run/check-plan-file.ts';
import type { RepoOption } from '../../project/with-store.ts';

/** Rows of a table that a person reads. */
const mostRows = 100;

/** `baton plan check`: everything that can be known of a plan before it runs. */
export function addCheck(family: Command, define: Define): void {
  const check = family
    .command('check')
    .argument('<plan.yaml>', 'plan file, - for standard input')
    .description('check a plan file without running anything')
    .option('--repo <path>', 'the repository that it is for, if it is not the current folder')
    .option('--file-only', 'look at the file alone, not at a repository or this machine')
    .addHelpText(
      'after',
      `
Reports every problem that can be found before the run: mistakes in the file; with baton.yaml of the repository also agents, models, prices,
programs and variables that are missing on this machine, lines that need a shell, gates and targets that do not exist.
Exit code 2 when something would end the run. With --json: { name, tasks, agents, warnings, looked }.

Examples:
  $ baton plan check plan.yaml
  $ baton plan check plan.yaml --repo ../shop --json`,
    );
  define(check, async (call, file: string, options: RepoOption & { fileOnly?: boolean }) => {
    const { loaded, agents, warnings, looked } = await checkPlanFile(call, file, options);
    for (const warning of warnings) call.out.warn(warning);
    const tasks = loaded.tasks.map(({ key, title, role, dependsOn, files }) => ({
      key,
      title,
      role,
      dependsOn,
      files,
    }));
    call.out.result({ name: loaded.plan.name, tasks, agents, warnings, looked }, (colors) =>
      [
        `${colors.green('✔')} ${file} is valid: ${count(tasks.length, 'task')} in ${count(loaded.plan.stages.length, 'stage')}.`,
        table(
          colors,
          ['task', 'after', 'title'],
          tasks
            .slice(0, mostRows)
            .map((task) => [task.key, listed(task.dependsOn) || '–', oneLine(task.title, 60)]),
        ),
        ...(tasks.length > mostRows
          ? [`… and ${count(tasks.length - mostRows, 'task')} more; --json lists all.`]
          : []),
      ].join('\n'),
    );
  });
}
