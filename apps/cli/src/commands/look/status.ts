import { requestsInto } from '@baton/contracts';
import { systemClock } from '@baton/service/system';
import type { Attempt, Explanation, Run, Task } from '@baton/task-store';

import { carryOn, lookAtProcesses, notCarried } from '../../project/carriers.ts';
import { landedLoss, lossLine, type LandedLoss } from '../../run/landed-loss.ts';
import type { AddCommands } from '../../terminal/call.ts';
import { costOfRun, costText, whyUnmeasured } from '../../terminal/cost-text.ts';
import { expectedLines } from '../../look/expected.ts';
import { explainedHere, typedHere } from '../../look/explained.ts';
import { flaggedLines, flaggedOf, type Flagged } from '../../look/flagged.ts';
import { flakyGatesOf, flakyLines, type FlakyGate } from '../../look/flaky-gates.ts';
import { count, fitLines, fittedTable, formatAgo, formatAmount, oneLine } from '../../terminal/format.ts';
import type { Colors } from '../../terminal/colors.ts';
import { type Output, widthOfTerminal } from '../../terminal/output.ts';
import { sessionsOf, type SessionRow } from '../../look/sessions.ts';
import { exitCodes } from '../../terminal/render-error.ts';
import { questionOf } from '../../terminal/question.ts';
import { reasonText } from '../../terminal/reason-text.ts';
import { runWord, taskWord } from '../../terminal/status-words.ts';
import { triesOf, triesText } from '../../terminal/tries.ts';
import { isRunOver, watchHelp, watchView } from '../../run/watch-view.ts';
import { allTasks, pickRun, withStore, type RepoOption, type Stored } from '../../project/with-store.ts';

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
  /** Work that landed or waits and weakens what judges it. */
  flagged: Flagged;
  flakyGates: FlakyGate[];
  /** What agents of tasks that are not over asked at the end of their last attempt, by task key. */
  questions: Record<string, string>;
  /** Why not all that was spent is known; null: it is, or no attempt gave a reason. */
  unmeasuredReason: string | null;
}

/** `baton status`: one run at a glance, and why what does not move does not move. */
export const addStatus: AddCommands = (program, define) => {
  const command = program
    .command('status')
    .argument('[run]', 'id or slug; the newest run when left out')
    .description('show a run at a glance, and why anything in it does not move')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('-w, --watch', 'show it until the run is over, drawn again whenever something moves')
    .addHelpText(
      'after',
      `${watchHelp}\nExamples:\n  $ baton status\n  $ baton status tidy-7k2f --json\n  $ baton status --watch`,
    );
  define(command, async (call, reference: string | undefined, options: RepoOption & { watch?: boolean }) => {
    const render = (view: StatusView, colors: Colors) =>
      renderStatus(view, { colors, now: systemClock.now(), width: widthOfTerminal(call.streams.stdout) });
    return withStore(call, options, async (stored, access) => {
      const { id } = await pickRun(stored, reference);
      const look = () => lookAtRun(call.out, stored, id);
      if (options.watch)
        return watchView(call, access, { look, data: dataOf, render, isOver: ({ run }) => isRunOver(run) });
      const view = await look();
      call.out.result(dataOf(view), (colors) => render(view, colors));
      return exitCodes.ok;
    });
  });
};

async function lookAtRun(out: Output, stored: Stored, runId: string): Promise<StatusView> {
  const run = await stored.store.runs.find(runId);
  const tasks = await allTasks(stored.store, run.id);
  const looked = await lookAtProcesses(stored);
  const attempts = await stored.store.tasks.listAttempts({ runId: run.id });
  const idle = await notCarried(stored.store, { run, ...looked });
  const open = tasks.filter((task) => !['CLOSED', 'CANCELLED'].includes(task.status));
  return {
    run,
    tasks,
    explanations: await Promise.all(
      open.map(async (task) => explainedHere(out, await stored.store.tasks.explain(task.id, looked.known))),
    ),
    agents: await sessionsOf(stored, { runId: run.id, tasks, live: true }),
    notCarried: idle === null ? null : typedHere(out, idle),
    lost: await landedLoss(stored, run),
    flagged: await flaggedOf(stored.store, run.id, { tasks, attempts }),
    flakyGates: await flakyGatesOf(stored.store, run),
    questions: questionsOf(open, attempts),
    unmeasuredReason: whyUnmeasured(attempts),
  };
}

const dataOf = ({ flagged, ...view }: StatusView) => ({
  ...view,
  tasks: view.tasks.map((task) => ({
    ...task,
    triesBegun: triesOf(task),
    weakened: flagged.get(task.id) ?? [],
  })),
});

function renderStatus(
  { run, tasks, explanations, notCarried: idle, lost, flagged, ...more }: StatusView,
  { colors, now, width }: { colors: Colors; now: Date; width: number | undefined },
): string {
  const { flakyGates, questions, unmeasuredReason } = more;
  const landed = tasks.filter((task) => task.status === 'CLOSED').length;
  const why = new Map(explanations.map((explanation) => [explanation.taskId, explanation]));
  const budget = run.budgetMicroUsd === null ? '' : ` of ${formatAmount(run.budgetMicroUsd)}`;
  const head = [
    `${colors.bold(run.slug)}  ${runWord(idle !== null && run.status === 'running' ? 'not_carried' : run.status, colors)}  ${landed} of ${count(tasks.length, 'task')} landed on ${landedOn(run)}, started ${formatAgo(run.createdAt, now)}, cost ${costText(costOfRun(run))}${unmeasuredReason === null ? '' : ` (${unmeasuredReason})`}${budget}`,
    ...(run.statusReason ? [colors.dim(reasonText(run.statusReason, 200))] : []),
    ...(idle === null ? [] : [carryOn(idle)]),
    ...(lost === null || lost.tasks.length === 0 ? [] : [colors.red(lossLine(lost, run.target))]),
  ];
  return [
    ...head.map((line) => fitLines(line, width)),
    '',
    fittedTable(colors, ['task', 'status', 'tries', 'why'], {
      rows: tasks.map((task) => [
        task.key,
        taskWord(task.status, colors),
        triesText(task),
        oneLine(whyOf(why.get(task.id), idle) ?? task.title, 90),
      ]),
      width,
    }),
    ...expectedLines(
      explanations.flatMap(({ expectedConflicts }) => expectedConflicts),
      { tasks, colors },
    ).map((line) => fitLines(line, width)),
    ...flaggedLines(flagged, { run, tasks, colors }),
    ...flakyLines(flakyGates, colors).map((line) => fitLines(line, width)),
    ...Object.entries(questions).map(([key, text]) =>
      colors.yellow(fitLines(`${key} asks: ${oneLine(text, 200)}`, width)),
    ),
  ].join('\n');
}

const landedOn = ({ plan, target }: Run): string => {
  const into = requestsInto(plan);
  return into === null ? target : `${into} by pull requests`;
};

function questionsOf(open: readonly Task[], attempts: readonly Attempt[]): Record<string, string> {
  const asked = open.flatMap((task): [string, string][] => {
    const question = questionOf(attempts.findLast(({ taskId }) => taskId === task.id));
    return question === null ? [] : [[task.key, question]];
  });
  return Object.fromEntries(asked);
}

/** The run's own trouble is printed once above the table, not in each of its lines. */
function whyOf(told: Explanation | undefined, idle: StatusView['notCarried']): string | undefined {
  return told?.cause === 'not_carried' && idle !== null ? 'no process carries the run out' : told?.text;
}
