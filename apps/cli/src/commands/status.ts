import { systemClock } from '../system.ts';
import type { Explanation, Run, Task } from '@baton/task-store';

import { carryOn, lookAtProcesses, notCarried } from '../carriers.ts';
import { landedLoss, lossLine, type LandedLoss } from '../run/landed-loss.ts';
import type { AddCommands } from '../cli.ts';
import { costOfRun, costText } from '../cost-text.ts';
import { count, formatAgo, formatUsd, oneLine, table } from '../format.ts';
import type { Colors } from '../colors.ts';
import { sessionsOf, type SessionRow } from './agents.ts';
import { runWord, taskWord } from '../status-words.ts';
import { allTasks, pickRun, withStore, type RepoOption } from '../with-store.ts';

interface StatusView {
  run: Run;
  tasks: Task[];
  explanations: Explanation[];
  /** Agents at work. */
  agents: SessionRow[];
  /** No process carries it on, and the command that does; null when one does, or none is needed. */
  notCarried: Awaited<ReturnType<typeof notCarried>>;
  /** Landed tasks that the target does not hold any more; null: it holds all. */
  lost: LandedLoss | null;
}

/** `baton status`: one run at a glance, and why what does not move does not move. */
export const addStatus: AddCommands = (program, define) => {
  const command = program
    .command('status')
    .argument('[run]', 'id or slug; the newest run when left out')
    .description('show a run at a glance, and why anything in it does not move')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .addHelpText('after', '\nExamples:\n  $ baton status\n  $ baton status tidy-7k2f --json');
  define(command, async (call, reference: string | undefined, options: RepoOption) => {
    const view = await withStore(call, options, async (stored): Promise<StatusView> => {
      const run = await pickRun(stored, reference);
      const tasks = await allTasks(stored.store, run.id);
      const looked = await lookAtProcesses(stored.store);
      const open = tasks.filter((task) => !['CLOSED', 'CANCELLED'].includes(task.status));
      return {
        run,
        tasks,
        explanations: await Promise.all(open.map((task) => stored.store.explain(task.id, looked.known))),
        agents: await sessionsOf(stored, { runId: run.id, tasks, live: true }),
        notCarried: await notCarried(stored.store, { run, ...looked }),
        lost: await landedLoss(stored, run),
      };
    });
    call.out.result(
      {
        run: view.run,
        tasks: view.tasks,
        explanations: view.explanations,
        agents: view.agents,
        notCarried: view.notCarried,
        lost: view.lost,
      },
      (colors) => renderStatus(view, { colors, now: systemClock.now() }),
    );
  });
};

function renderStatus(
  { run, tasks, explanations, notCarried: idle, lost }: StatusView,
  { colors, now }: { colors: Colors; now: Date },
): string {
  const landed = tasks.filter((task) => task.status === 'CLOSED').length;
  const why = new Map(explanations.map((explanation) => [explanation.taskId, explanation]));
  const budget = run.budgetMicroUsd === null ? '' : ` of ${formatUsd(run.budgetMicroUsd)}`;
  return [
    `${colors.bold(run.slug)}  ${runWord(idle !== null && run.status === 'running' ? 'not_carried' : run.status, colors)}  ${landed} of ${count(tasks.length, 'task')} landed on ${run.target}, started ${formatAgo(run.createdAt, now)}, cost ${costText(costOfRun(run))}${budget}`,
    ...(run.statusReason ? [colors.dim(oneLine(run.statusReason, 200))] : []),
    ...(idle === null ? [] : [carryOn(idle)]),
    ...(lost === null || lost.tasks.length === 0 ? [] : [colors.red(lossLine(lost, run.target))]),
    '',
    table(
      colors,
      ['task', 'status', 'tries', 'why'],
      tasks.map((task) => [
        task.key,
        taskWord(task.status, colors),
        String(task.tries),
        oneLine(whyOf(why.get(task.id), idle) ?? task.title, 90),
      ]),
    ),
  ].join('\n');
}

/** The run's own trouble stands above the table once, not in each of its lines. */
function whyOf(told: Explanation | undefined, idle: StatusView['notCarried']): string | undefined {
  return told?.cause === 'not_carried' && idle !== null ? 'no process carries the run out' : told?.text;
}
