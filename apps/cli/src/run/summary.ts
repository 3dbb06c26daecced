import { requestsInto } from '@baton/contracts';

import { agentOf, agentText } from '../terminal/agent-text.ts';
import { costOf, costOfRun, costText, knownCost, whyUnmeasured, type Cost } from '../terminal/cost-text.ts';
import {
  count,
  fitLines,
  fittedTable,
  formatMs,
  formatTokens,
  formatUsd,
  oneLine,
  shortId,
} from '../terminal/format.ts';
import { cutTo } from '../terminal/width.ts';
import type { Colors } from '../terminal/colors.ts';
import { flaggedLines } from '../look/flagged.ts';
import { taskWord } from '../terminal/status-words.ts';
import { triesOf, triesText } from '../terminal/tries.ts';
import { workedMs } from './begin-times.ts';
import { lossLine, type LandedLoss } from './landed-loss.ts';
import { nextSteps } from './next-steps.ts';
import { isIdle, type RunSnapshot } from './progress-lines.ts';

const longestAgent = 32;
const columnsForTitles = 120;

/** What `baton run --json` prints. */
export interface RunResult {
  runId: string;
  status: string;
  target: string;
  tasks: {
    id: string;
    key: string;
    title: string;
    status: string;
    /** Claims in all, whether they counted as a try or not. */
    attempts: number;
    /** Tries that have begun, from 1: what `status`, `tasks` and `task` show. */
    tries: number;
    maxTries: number;
    /** The agent of its last attempt, and the model if that is known; null: none. */
    agent: string | null;
    model: string | null;
    inputTokens: number;
    outputTokens: number;
    /** Time of agents on its attempts, without the time in which they had other tasks. */
    workedMs: number;
    /** Landed commit, or null. */
    commit: string | null;
    /** What its work that landed or waits weakens of what judges it, one sentence each. */
    weakened: readonly string[];
    /** What was booked; null: not known. */
    costMicroUsd: number | null;
    /** The unmeasured part of it, booked at its bound. */
    unmeasuredMicroUsd: number;
    /** Attempts that did not tell all they spent. */
    unmeasured: number;
    /** Why not all of its cost is known; null: it is, or no attempt gave a reason. */
    unmeasuredReason: string | null;
  }[];
  /** What was booked; null: not known. */
  costMicroUsd: number | null;
  unmeasuredMicroUsd: number;
  unmeasured: number;
  /** Why not all of it is known; null: it is, or no attempt gave a reason. */
  unmeasuredReason: string | null;
  lost?: LandedLoss;
  /** Wall time of this command. */
  durationMs: number;
}

/** The result of a run as data. */
export function runResult(
  { run, tasks, attempts, commits, sessions, begun, flagged }: RunSnapshot,
  { durationMs, lost = null }: { durationMs: number; lost?: LandedLoss | null },
): RunResult {
  const byTask = Map.groupBy(attempts, (attempt) => attempt.taskId);
  return {
    runId: run.id,
    status: run.status,
    target: run.target,
    tasks: tasks.map((task) => {
      const own = byTask.get(task.id) ?? [];
      const last = own.at(-1);
      const by = agentOf(
        last,
        sessions.find(({ id }) => id === last?.sessionId),
      );
      return {
        id: task.id,
        key: task.key,
        title: task.title,
        status: task.status,
        attempts: own.length,
        ...triesOf(task),
        agent: by?.agent ?? null,
        model: by?.model ?? null,
        inputTokens: own.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
        outputTokens: own.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
        workedMs: workedMs(own, { begun, sessions }),
        commit: commits.get(task.id) ?? null,
        weakened: flagged?.get(task.id) ?? [],
        ...costData(costOf(own)),
        unmeasuredReason: whyUnmeasured(own),
      };
    }),
    ...costData(costOfRun(run)),
    unmeasuredReason: whyUnmeasured(attempts),
    ...(lost === null ? {} : { lost }),
    durationMs: Math.round(durationMs),
  };
}

const costData = (cost: Cost): Pick<RunResult, 'costMicroUsd' | 'unmeasuredMicroUsd' | 'unmeasured'> => ({
  ...cost,
  costMicroUsd: knownCost(cost),
});

/** The end of a run for people: what became of each task, where the commits are, what to do next. */
export function renderSummary(
  snapshot: RunSnapshot,
  {
    result,
    colors,
    branchIsCheckedOut,
    width,
    offer,
  }: {
    result: RunResult;
    colors: Colors;
    branchIsCheckedOut: boolean;
    /** A command as it is to be typed. */
    offer?: (command: string) => string;
    /** Columns of the terminal. */
    width?: number | undefined;
  },
): string {
  const { tasks, attempts } = snapshot;
  const landed = tasks.filter((task) => task.status === 'CLOSED');
  const rows = tasks.map((task, index) => [
    taskWord(task.status, colors),
    task.key,
    triesText(task),
    formatMs(result.tasks[index]?.workedMs ?? 0),
    costCell(costOf(attempts.filter(({ taskId }) => taskId === task.id)), width),
    shortId(result.tasks[index]?.commit),
    ...lastCells({ agent: agentCell(result.tasks[index]), title: oneLine(task.title, 50) }, width),
  ]);
  return [
    '',
    fitLines(headline(snapshot, { result, colors }), width),
    '',
    fittedTable(
      colors,
      ['', 'task', 'tries', 'time', 'cost', 'commit', ...lastCells({ agent: 'agent', title: '' }, width)],
      { rows, width },
    ),
    '',
    ...(landed.length === 0
      ? []
      : [fitLines(whereItIs(snapshot, { lost: result.lost ?? null, colors, branchIsCheckedOut }), width)]),
    ...flaggedLines(snapshot.flagged ?? new Map(), { ...snapshot, colors }),
    ...nextSteps(snapshot, {
      columns: width,
      offer,
      landed: result.lost === undefined ? landed.length : 0,
      lost: result.lost ?? null,
      colors,
      branchIsCheckedOut,
    }),
  ].join('\n');
}

/** In a narrow terminal what is not measured is shown as the bound that it was booked at. */
function costCell(cost: Cost, width: number | undefined): string {
  const isBound = cost.unmeasuredMicroUsd > 0 && width !== undefined && width < columnsForTitles;
  return isBound ? `≤ ${formatUsd(cost.costMicroUsd)}` : costText(cost);
}

/** Titles are left out where they would leave no room for anything. */
const lastCells = (
  { agent, title }: { agent: string; title: string },
  width: number | undefined,
): string[] => (width !== undefined && width < columnsForTitles ? [agent] : [agent, title]);

/** `claude-code·opus 3.2k/90 tok`. */
function agentCell(task: RunResult['tasks'][number] | undefined): string {
  if (!task || task.agent === null) return '–';
  const name = cutTo(oneLine(agentText({ agent: task.agent, model: task.model })), longestAgent);
  if (task.inputTokens + task.outputTokens === 0) return name;
  return `${name} ${formatTokens(task.inputTokens)}/${formatTokens(task.outputTokens)} tok`;
}

function headline(
  { run, tasks, attempts }: RunSnapshot,
  { result, colors }: { result: RunResult; colors: Colors },
): string {
  const landed = tasks.filter((task) => task.status === 'CLOSED').length;
  const parts = [
    `${landed} of ${count(tasks.length, 'task')} landed`,
    `${count(attempts.length, 'attempt')}${notes(attempts)}`,
    formatMs(result.durationMs),
    ...costPart({ run, attempts, result }),
  ];
  const idle = isIdle({ run, tasks });
  const done = (run.status === 'done' || idle) && result.lost === undefined;
  const goesOn = ['running', 'paused', 'waiting'].includes(run.status);
  const mark = done ? colors.green('✔') : goesOn ? colors.yellow('‖') : colors.red('✘');
  const reason = !done && run.statusReason ? `\n  ${oneLine(run.statusReason, 200)}` : '';
  return `${mark} ${colors.bold(run.slug)} ${idle ? 'has nothing left to do' : statusPhrase(run.status)}: ${parts.join(' · ')}${reason}`;
}

function statusPhrase(status: string): string {
  if (status === 'running') return 'was interrupted';
  if (status === 'cancelled') return 'was cancelled';
  return status === 'failed' ? status : `is ${status}`;
}

/** `$1.20`, or why it is not known. */
function costPart({
  run,
  attempts,
  result,
}: Pick<RunSnapshot, 'run' | 'attempts'> & { result: RunResult }): string[] {
  if (result.costMicroUsd === 0) return [];
  const text = costText(costOfRun(run));
  const why = whyUnmeasured(attempts);
  return [`${result.costMicroUsd === null ? 'cost ' : ''}${text}${why === null ? '' : `: ${why}`}`];
}

/** What became of attempts that did not land. */
function notes(attempts: RunSnapshot['attempts']): string {
  const ended = (outcome: string): number => attempts.filter((attempt) => attempt.outcome === outcome).length;
  const parts = [
    ...(ended('rejected') > 0 ? [`${ended('rejected')} rejected`] : []),
    ...(ended('conflict') > 0 ? [count(ended('conflict'), 'conflict')] : []),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function whereItIs(
  { run }: RunSnapshot,
  {
    lost,
    colors,
    branchIsCheckedOut,
  }: { lost: LandedLoss | null; colors: Colors; branchIsCheckedOut: boolean },
): string {
  if (lost !== null) return `${colors.red('✘')} ${lossLine(lost, run.target)}`;
  const into = requestsInto(run.plan);
  if (into !== null)
    return `What was merged is on ${colors.bold(into)} of the remote. Your checkout was not touched.`;
  const untouched = branchIsCheckedOut ? '' : ' Your checkout was not touched.';
  return `The commits are on ${colors.bold(run.target)}.${untouched}`;
}
