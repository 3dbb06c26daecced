import { mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { BatonError } from '@baton/contracts';
import type { Run, Store } from '@baton/task-store';
import { stringify } from 'yaml';

import type { AddCommands } from '../../terminal/call.ts';
import { count } from '../../terminal/format.ts';
import { readLines, writeLines } from '../../record/line-file.ts';
import { planYaml } from '../../record/plan-yaml.ts';
import { readBacklog } from '../../record/sdd-backlog.ts';
import { exportSdd } from '../../record/sdd-export.ts';
import { allTasks, runsOfProject, withStore, type RepoOption } from '../../project/with-store.ts';

const storeFile = 'store.jsonl';
const allRuns = 1_000_000;

/** `baton export` and `baton import`: the whole store as files, and back. */
export const addExportAndImport: AddCommands = (program, define) => {
  addExport(program, define);
  addImport(program, define);
};

const addExport: AddCommands = (program, define) => {
  const exporting = program
    .command('export')
    .argument('<to>', 'a folder, or a file that ends in .jsonl')
    .description('write the whole store to files: a backup, or the way to another database')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--sdd', 'write backlog, metrics and traces as a .sdd folder instead (to read, not to restore)')
    .addHelpText(
      'after',
      `\nA folder gets ${storeFile} (everything, for \`baton import\`) and the plan of every run as YAML, for \`baton run\`.\nGit holds the work itself: back the repository up, too. Archived events stay in their folder.\n\nExamples:\n  $ baton export backup/\n  $ baton export backup.jsonl\n  $ baton export --sdd .sdd`,
    );
  define(exporting, async (call, to: string, options: RepoOption & { sdd?: boolean }) => {
    const target = path.resolve(call.cwd, to);
    const result = await withStore(call, options, async (stored) => {
      if (options.sdd === true) {
        const runs = await runsOfProject(stored, { limit: allRuns });
        return {
          to: target,
          lines: 0,
          plans: 0,
          files: await exportSdd(stored.store, { dir: target, runs }),
        };
      }
      if (target.endsWith('.jsonl'))
        return {
          to: target,
          lines: await writeLines(target, stored.store.transfer.exportLines()),
          plans: 0,
          files: 1,
        };
      await mkdir(path.join(target, 'plans'), { recursive: true });
      const lines = await writeLines(path.join(target, storeFile), stored.store.transfer.exportLines());
      const runs = await runsOfProject({ ...stored, project: null }, { limit: allRuns });
      for (const run of runs) await writePlan(stored.store, { run, dir: path.join(target, 'plans') });
      return { to: target, lines, plans: runs.length, files: runs.length + 1 };
    });
    call.out.result(result, () => `${count(result.files, 'file')} written to ${result.to}.`);
  });
};

const addImport: AddCommands = (program, define) => {
  const importing = program
    .command('import')
    .argument('<from>', 'what `baton export` wrote, or a folder with a "backlog"')
    .description('put an exported store into an empty one; or make a plan of a .sdd backlog')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--plan <file>', 'where the plan of a backlog goes', 'backlog-plan.yaml')
    .addHelpText(
      'after',
      '\nA store is taken in whole, with log and histories verified, or not at all; it must be empty. A backlog becomes a plan file, to look\nat and to run.\n\nExamples:\n  $ DATABASE_URL=postgresql://… baton import backup/\n  $ baton import .sdd --plan backlog.yaml && baton run backlog.yaml',
    );
  define(importing, async (call, from: string, options: RepoOption & { plan: string }) => {
    const source = path.resolve(call.cwd, from);
    const isFolder = await stat(source).then(
      (found) => found.isDirectory(),
      () => false,
    );
    const backlog = isFolder && !(await exists(path.join(source, storeFile)));
    if (backlog) {
      const file = path.resolve(call.cwd, options.plan);
      const { plan, leftOut } = await readBacklog(source, { name: 'backlog' });
      await refuseToReplace(file);
      await writeFile(file, stringify(plan, { lineWidth: 110 }));
      const steps = plan.stages[0]?.steps.length ?? 0;
      for (const line of leftOut) call.out.warn(line);
      return call.out.result(
        { plan: file, steps, leftOut },
        () =>
          `${count(steps, 'ticket')} written to ${options.plan}; check it, then \`baton run ${options.plan}\`.`,
      );
    }
    const file = isFolder ? path.join(source, storeFile) : source;
    if (!(await exists(file)))
      throw new BatonError('NOT_FOUND', `There is no ${file}.`, {
        at: from,
        fix: 'Name what `baton export` wrote, a folder or a .jsonl file, or a .sdd folder.',
      });
    const { rows } = await withStore(call, { ...options, create: true }, ({ store }) =>
      store.transfer.importLines(readLines(file), { name: file }),
    );
    call.out.result(
      { from: file, rows },
      () => `${count(rows, 'row')} taken in from ${file}; the log holds.`,
    );
  });
};

async function writePlan(store: Store, { run, dir }: { run: Run; dir: string }): Promise<void> {
  const [tasks, dependencies] = await Promise.all([
    allTasks(store, run.id),
    store.tasks.dependencies(run.id),
  ]);
  if (tasks.length > 0)
    await writeFile(path.join(dir, `${run.slug}.yaml`), planYaml({ run, tasks, dependencies }));
}

const exists = (file: string) =>
  stat(file).then(
    () => true,
    () => false,
  );

async function refuseToReplace(file: string): Promise<void> {
  if (!(await exists(file))) return;
  throw new BatonError('CONFLICT', `${file} is there already.`, {
    at: file,
    fix: 'Name another file with --plan FILE.',
  });
}
