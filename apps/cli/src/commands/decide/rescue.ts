import { existsSync } from 'node:fs';
import path from 'node:path';

import { BatonError, shellWord } from '@baton/contracts';
import {
  listAttempts,
  listLeftOut,
  listSalvage,
  openClone,
  restoreSalvage,
  unknownOwner,
  unsavedTrees,
  type Clone,
  type SalvagedTree,
} from '@baton/spawner';

import { lookAtProcesses } from '../../project/carriers.ts';
import type { Store, Task } from '@baton/task-store';

import type { AddCommands } from '../../terminal/call.ts';
import { count, shortId, table } from '../../terminal/format.ts';
import { exitCodes } from '../../terminal/render-error.ts';
import { hintOf, leftOutLine, listedLeftOut, type KeyedList } from '../../terminal/left-out-lines.ts';
import { pickTask } from '../../project/pick-task.ts';
import { withoutRepeats, type Find } from '../../project/same-work.ts';
import type { Place } from '../../project/project.ts';
import { placeOfRun } from '../../project/place-of-run.ts';
import type { Output } from '../../terminal/output.ts';
import { allTasks, pickRun, withStore, type RepoOption, type Stored } from '../../project/with-store.ts';

type Salvaged = Find['one'];

/** In place of the key of a task where the record of a worktree is lost. */
const unknownTask = unknownOwner.taskId;

/** `baton rescue`: lists what agents left behind when they ended early, and writes it into a folder. */
export const addRescue: AddCommands = (program, define) => {
  const command = program
    .command('rescue')
    .argument('[task]', 'key, run/key or id; all tasks of the newest run when left out')
    .description('list work that was saved when an agent ended early, or write it into a folder')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--into <folder>', 'write the newest (or the one named by --ref) into this new folder')
    .option('--ref <ref>', 'which one, as the list shows it')
    .option('--left-out', 'list all that agents left and no ref holds, with the reasons')
    .option('--dry-run', 'say what would be written')
    .addHelpText(
      'after',
      '\nExamples:\n  $ baton rescue changelog\n  $ baton rescue changelog --into ../rescued\n  $ baton rescue changelog --left-out',
    );
  define(command, async (call, reference: string | undefined, options: RescueOptions) => {
    return withStore(call, options, async (stored) => {
      const project = await placeOfRun(stored, { reference, words: ['rescue'] });
      const tasks =
        reference === undefined
          ? await allTasks(stored.store, (await pickRun(stored, undefined)).id)
          : [await pickTask(stored, reference)];
      const stateDirs = [project.state.dir, path.join(call.env.home, 'worker')];
      if (options.leftOut === true) {
        const lists = await findLeftOut({ project, stateDirs, tasks });
        call.out.result({ leftOut: lists }, () => listedLeftOut(lists));
        return exitCodes.ok;
      }
      const finds = await findSaved(stored.store, { project, stateDirs, tasks });
      const chosen =
        options.ref === undefined
          ? newest(finds)
          : finds.find(({ one }) => [one.ref, one.path].includes(options.ref));
      if (options.into !== undefined && !chosen) throw nothingSaved(reference, options.ref);
      if (options.into === undefined || !chosen) {
        const unsaved = await notYetSaved(call.out, stored, { tasks, stateDirs });
        const lists = await findLeftOut({ project, stateDirs, tasks });
        const found = (await withoutRepeats(finds)).map(({ one }) => one);
        call.out.result({ salvage: found, unsaved }, (colors) =>
          [listed({ found, unsaved }, colors), ...hintOf(lists, reference)].join('\n'),
        );
        return exitCodes.ok;
      }
      const into = path.resolve(call.cwd, options.into);
      const restored = options.dryRun
        ? { files: 0, missing: [] }
        : await restoreSalvage(chosen.clone, chosen.one.ref, { into });
      const { missing } = restored;
      const { ref, key } = chosen.one;
      call.out.result({ dryRun: options.dryRun === true, ref, into, ...restored }, () =>
        options.dryRun
          ? `Would write ${ref} into ${into}.`
          : [
              `Wrote ${count(restored.files, 'file')} of ${key} into ${into}.`,
              ...notWritten(missing, { key, path: chosen.one.path }),
            ].join('\n'),
      );
      return missing.length === 0 ? exitCodes.ok : exitCodes.unfinished;
    });
  });
};

function nothingSaved(task: string | undefined, ref: string | undefined): BatonError {
  const of = task === undefined ? 'the newest run' : task;
  return new BatonError(
    'NOT_FOUND',
    ref === undefined
      ? `Nothing was saved of ${of}: there is nothing to write.`
      : `${ref} is no saved work of ${of}.`,
    { fix: `\`baton rescue${task === undefined ? '' : ` ${shellWord(task)}`}\` lists what there is.` },
  );
}

/** A worktree before single commits: it holds what was at work. Whose work is not known is written only when it is named. */
function newest(finds: readonly Find[]): Find | undefined {
  const known = finds.filter(({ one }) => one.taskId !== unknownTask);
  return known.find(({ one }) => one.kind !== 'commit') ?? known[0];
}

async function findSaved(store: Store, where: Where): Promise<Find[]> {
  const finds = new Map<string, Find>();
  const add = (clone: Clone, { key, trees }: { key: string; trees: readonly SalvagedTree[] }): void => {
    for (const tree of trees) {
      const name = `${tree.ref} ${tree.commit} ${tree.path ?? ''}`;
      if (!finds.has(name)) finds.set(name, { one: { ...tree, key }, clone });
    }
  };
  for (const { clone, task } of await placesOf(where)) {
    add(clone, { key: task.key, trees: await listSalvage(clone, task.id) });
    add(clone, { key: task.key, trees: await unrecorded(store, { clone, task }) });
    add(clone, { key: unknownTask, trees: await listSalvage(clone, unknownTask) });
  }
  return [...finds.values()].sort((a, b) => (a.one.savedAt < b.one.savedAt ? 1 : -1));
}

/**
 * Work that was committed at the end of an attempt of which that was never recorded: its worker ended, or lost the database, in between.
 * Recorded work is judged, and `baton diff` shows it.
 */
async function unrecorded(
  store: Store,
  { clone, task }: { clone: Clone; task: Task },
): Promise<SalvagedTree[]> {
  const committed = await listAttempts(clone, task.id);
  if (committed.length === 0) return [];
  const attempts = await store.tasks.attempts(task.id);
  const known = new Set(attempts.flatMap(({ startCommit, headCommit }) => [startCommit, headCommit]));
  const open = new Set(attempts.filter(({ endedAt }) => endedAt === null).map(({ fence }) => fence));
  const isOpen = ({ ref, fence }: SalvagedTree): boolean => open.has(fence) && ref.endsWith(`/${fence}`);
  return committed.filter((one) => !known.has(one.commit) && !isOpen(one));
}

interface Where {
  project: Place;
  stateDirs: readonly string[];
  tasks: readonly Task[];
}

/** A run is carried by `baton run`, by the workers of `baton up`, or by one after the other: each has a clone of its own. */
async function placesOf({ project, stateDirs, tasks }: Where): Promise<{ clone: Clone; task: Task }[]> {
  const { git, root: location } = project;
  const places: { clone: Clone; task: Task }[] = [];
  for (const stateDir of stateDirs) {
    for (const repoId of new Set(tasks.map((task) => task.repoId))) {
      if (!existsSync(path.join(stateDir, 'repos', repoId, 'clone.git'))) continue;
      const clone = await openClone({ git, stateDir, repoId, location });
      places.push(...tasks.filter((one) => one.repoId === repoId).map((task) => ({ clone, task })));
    }
  }
  return places;
}

async function findLeftOut(where: Where): Promise<KeyedList[]> {
  const lists: KeyedList[] = [];
  for (const { clone, task } of await placesOf(where)) {
    for (const list of await listLeftOut(clone, task.id)) lists.push({ key: task.key, ...list });
  }
  return lists;
}

interface RescueOptions extends RepoOption {
  into?: string;
  ref?: string;
  leftOut?: boolean;
  dryRun?: boolean;
}

/** Work in the worktree of a process that has ended: it is saved when the run is carried on, or the worktree is used again. */
interface Unsaved {
  key: string;
  unblock: string | null;
  /** Absolute path of the worktree; null: it is not known here. */
  path: string | null;
}

async function notYetSaved(
  out: Output,
  stored: Stored,
  { tasks, stateDirs }: { tasks: readonly Task[]; stateDirs: readonly string[] },
): Promise<Unsaved[]> {
  const unsaved = stateDirs.flatMap(unsavedTrees);
  const trees = new Map(unsaved.map((tree) => [tree.taskId, tree.path]));
  const repos = new Set(tasks.map(({ repoId }) => repoId));
  const lost = unsaved.filter(
    (tree) => tree.taskId === unknownTask && tree.path.split(path.sep).some((name) => repos.has(name)),
  );
  const held = await heldByDead(stored, tasks);
  const known = tasks.flatMap(({ id, key }): Unsaved[] => {
    const place = trees.get(id) ?? null;
    const unblock = held.get(id);
    return place === null && unblock === undefined
      ? []
      : [{ key, unblock: typeof unblock !== 'string' ? null : out.offer(unblock), path: place }];
  });
  return [...known, ...lost.map((tree) => ({ key: unknownTask, unblock: null, path: tree.path }))];
}

/** Tasks whose worker has ended, and the command that carries their run on. */
async function heldByDead(stored: Stored, tasks: readonly Task[]): Promise<Map<string, string | null>> {
  const atWork = tasks.filter(({ status }) => ['CLAIMED', 'IN_PROGRESS', 'ORPHANED'].includes(status));
  if (atWork.length === 0) return new Map();
  const { known } = await lookAtProcesses(stored);
  const told = await Promise.all(
    atWork.map(async ({ id }) => ({ id, ...(await stored.store.tasks.explain(id, known)) })),
  );
  const dead = told.filter(({ cause }) => cause === 'not_carried' || cause === 'lease_silent');
  return new Map(dead.map(({ id, unblock }) => [id, unblock]));
}

function listed(
  { found, unsaved }: { found: readonly Salvaged[]; unsaved: readonly Unsaved[] },
  colors: Parameters<typeof table>[0],
): string {
  const waiting = unsaved.map(unsavedLine);
  if (found.length === 0) return waiting.length > 0 ? waiting.join('\n') : 'Nothing was left behind.';
  const rows = found.map((tree) => [
    tree.key,
    kinds[tree.kind],
    tree.savedAt,
    tree.commit === '' ? '–' : shortId(tree.commit),
    tree.ref,
  ]);
  const parts = [table(colors, ['task', 'what', 'saved', 'commit', 'ref'], rows)];
  for (const tree of found) {
    if (tree.title !== '') parts.push(`${tree.ref}: ${tree.title}`);
    if (tree.path !== undefined) parts.push(`  kept unchanged in ${tree.path}`);
    parts.push(...leftOutOf(tree));
  }
  parts.push(
    'Write one into a folder with `baton rescue <task> --into <folder>`, another than the newest with --ref <ref>.',
    ...waiting,
  );
  return parts.join('\n');
}

function unsavedLine({ key, unblock, path: place }: Unsaved): string {
  const where = place === null ? 'its worktree' : place;
  const when =
    unblock === null ? 'before that worktree is used again.' : `when the run is carried on: ${unblock}`;
  const whose = key === unknownTask ? 'an agent, of a task that is not known,' : `the agent of ${key}`;
  return `What ${whose} left is still in ${where}; it is saved ${when}`;
}

const kinds = {
  tree: 'worktree',
  commit: 'own commit',
  attempt: 'commit',
  'set-aside': 'set aside',
} as const;

const mostShown = 20;

/** Names what was left and is not in the folder. */
function notWritten(
  missing: readonly string[],
  { key, path: place }: { key: string; path: string | undefined },
): string[] {
  if (missing.length === 0) return [];
  const more = missing.length - mostShown;
  return [
    `Not written: ${count(missing.length, 'name')} that the agent left, too.`,
    ...missing.slice(0, mostShown).map((name) => `  ${name}`),
    ...(more > 0 ? [`  and ${more} more: the list is in --json`] : []),
    place === undefined
      ? `The reasons: \`baton rescue ${shellWord(key)} --left-out\``
      : `They are unchanged in ${place}.`,
  ];
}

/** What is in no ref, one line each. */
function leftOutOf({ ref, key, leftOut }: Salvaged): string[] {
  if (leftOut.length === 0) return [];
  const more = leftOut.length - mostShown;
  const rest = more > 0 ? [`  and ${more} more: \`baton rescue ${shellWord(key)} --left-out\``] : [];
  return [`${ref}, left out:`, ...leftOut.slice(0, mostShown).map(leftOutLine), ...rest];
}
