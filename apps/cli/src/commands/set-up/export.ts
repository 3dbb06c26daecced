import { rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { BatonError } from '@baton/contracts';
import type { Run, Store } from '@baton/task-store';
import { stringify } from 'yaml';

import type { AddCommands } from '../../terminal/call.ts';
import { count } from '../../terminal/format.ts';
import { openDestination, putFile, requireFree, type Destination } from '../../record/destination.ts';
import { readLines, writeLines } from '../../record/line-file.ts';
import { planYaml } from '../../record/plan-yaml.ts';
import { readBacklog } from '../../record/sdd-backlog.ts';
import { exportSdd } from '../../record/sdd-export.ts';
import {
  allTasks,
  runsOfProject,
  withStore,
  type RepoOption,
  type Stored,
} from '../../project/with-store.ts';

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
    .option('--force', 'replace files that no export of this store wrote, or that were changed since')
    .addHelpText(
      'after',
      `\nA folder gets ${storeFile} (everything, for \`baton import\`) and the plan of every run as YAML, for \`baton run\`.\nA second export into it replaces the files of the first, and nothing else without --force. Git holds the work itself: back the repository up, too. Archived events stay in their folder.\n\nExamples:\n  $ baton export backup/\n  $ baton export backup.jsonl\n  $ baton export --sdd .sdd`,
    );
  define(exporting, async (call, to: string, options: ExportOptions) => {
    const target = path.resolve(call.cwd, to);
    const result = await withStore(call, options, (stored) =>
      exportTo(target, stored, options).catch((error: unknown) => {
        throw unwritable(target, error);
      }),
    );
    call.out.result(result, () => `${count(result.files, 'file')} written to ${result.to}.`);
  });
};

/** What the system says of a place that was mistyped, or has no room. */
function unwritable(target: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (!['EACCES', 'EEXIST', 'EISDIR', 'ENOENT', 'ENOSPC', 'ENOTDIR', 'EPERM', 'EROFS'].includes(code ?? ''))
    return error;
  return new BatonError('INVALID_INPUT', `${target} cannot be written (${code}).`, {
    at: target,
    fix: 'Name a folder, or a .jsonl file in one, that you may write to and that has room.',
    cause: error,
  });
}

interface ExportOptions extends RepoOption {
  sdd?: boolean;
  force?: boolean;
}

interface Exported {
  to: string;
  lines: number;
  plans: number;
  files: number;
}

async function exportTo(target: string, stored: Stored, options: ExportOptions): Promise<Exported> {
  const { store } = stored;
  const force = options.force === true;
  if (options.sdd !== true && target.endsWith('.jsonl')) {
    if (!force) await requireFree(target);
    const draft = `${target}.${process.pid}.part`;
    try {
      const lines = await writeLines(draft, store.transfer.exportLines());
      await putFile(draft, target, { replace: force });
      return { to: target, lines, plans: 0, files: 1 };
    } finally {
      await rm(draft, { force: true });
    }
  }
  await using destination = await openDestination(target, { storeId: store.storeId, force });
  const { stage } = destination;
  if (options.sdd === true) {
    const runs = await runsOfProject(stored, { limit: allRuns });
    const files = await exportSdd(store, { stage, runs });
    await destination.finish();
    return { to: target, lines: 0, plans: 0, files };
  }
  const lines = await writeLines(await stage(storeFile), store.transfer.exportLines());
  const runs = await runsOfProject({ ...stored, project: null }, { limit: allRuns });
  let plans = 0;
  for (const run of runs) if (await writePlan(store, { run, stage })) plans += 1;
  await destination.finish();
  return { to: target, lines, plans, files: plans + 1 };
}

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
      await writeFile(file, stringify(plan, { lineWidth: 110 }), { flag: 'wx' }).catch((cause: unknown) => {
        throw (cause as NodeJS.ErrnoException).code === 'EEXIST' ? planIsThere(file) : cause;
      });
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

/** False: the run has no tasks, so there is no plan to write. */
async function writePlan(
  store: Store,
  { run, stage }: { run: Run; stage: Destination['stage'] },
): Promise<boolean> {
  const [tasks, dependencies] = await Promise.all([
    allTasks(store, run.id),
    store.tasks.dependencies(run.id),
  ]);
  if (tasks.length === 0) return false;
  await writeFile(
    await stage(path.join('plans', `${run.slug}.yaml`)),
    planYaml({ run, tasks, dependencies }),
  );
  return true;
}

const exists = (file: string) =>
  stat(file).then(
    () => true,
    () => false,
  );

const planIsThere = (file: string) =>
  new BatonError('CONFLICT', `${file} is there already.`, {
    at: file,
    fix: 'Name another file with --plan FILE.',
  });
