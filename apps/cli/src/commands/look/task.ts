import { saidOf, whyEnded } from '@baton/task-store';
import type {
  AgentSession,
  Attempt,
  Explanation,
  PersonsWords,
  StoredVerdict,
  Task,
} from '@baton/task-store';

import { agentOf, agentText } from '../../terminal/agent-text.ts';
import { explainedHere } from '../../look/explained.ts';
import { lookAtProcesses } from '../../project/carriers.ts';
import type { AddCommands } from '../../terminal/call.ts';
import { deadlineLine } from '../../terminal/deadline-line.ts';
import { costOf, costText, whyUnmeasured } from '../../terminal/cost-text.ts';
import { testsText } from '../../terminal/tests-text.ts';
import { fittedTable, formatMs, oneLine, shortId } from '../../terminal/format.ts';
import type { Colors } from '../../terminal/colors.ts';
import { questionOf } from '../../terminal/question.ts';
import { noteOtherRuns, pickTask } from '../../project/pick-task.ts';
import { beginTimes, workedMs } from '../../run/begin-times.ts';
import { reasonRest } from '../../terminal/reason-text.ts';
import { taskWord } from '../../terminal/status-words.ts';
import { triesOf, triesText, tryNumber, type Tries } from '../../terminal/tries.ts';
import { withStore, type RepoOption } from '../../project/with-store.ts';
import { widthOfTerminal } from '../../terminal/output.ts';

interface TaskView {
  task: Task & { triesBegun: Tries };
  attempts: AttemptView[];
  /** What its agent asked at the end of its last attempt; null: nothing that was noticed. */
  question: string | null;
  verdicts: StoredVerdict[];
  commit: string | null;
  /** How long the newest attempt may take, and why. */
  deadline: string | null;
  /** Why it does not move, and who moves it next. */
  explanation: Explanation;
  /** What people said to its later tries. */
  words: PersonsWords[];
  /** Why its run is paused, where that is why the task does not move. */
  runReason: string | null;
}

interface AttemptView extends Attempt {
  /** Which try it is; null: it did not count as one. */
  try: number | null;
  agent: string | null;
  model: string | null;
  /** Time of the agent on it; of one that is not over, nothing yet. */
  workedMs: number;
  /** The agent's own last words on it. */
  said: string | null;
  /** Why it did not land, or did not end well. */
  reason: string | null;
}

/** `baton task`: everything about one task. */
export const addTask: AddCommands = (program, define) => {
  const command = program
    .command('task')
    .argument('<task>', 'key, run/key or id')
    .description('show one task with its attempts and verdicts')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--history', 'also every move of its state machine')
    .addHelpText('after', '\nExamples:\n  $ baton task changelog\n  $ baton task changelog --history');
  define(command, async (call, reference: string, options: RepoOption & { history?: boolean }) => {
    const view = await withStore(call, options, async (stored) => {
      const { store } = stored;
      const task = await pickTask(stored, reference);
      await noteOtherRuns(call, stored, { task, reference });
      const { known } = await lookAtProcesses(stored);
      const [attempts, verdicts, landings, explanation, history, words] = await Promise.all([
        store.tasks.attempts(task.id),
        store.tasks.verdicts(task.id),
        store.tasks.landings({ taskId: task.id }),
        store.tasks.explain(task.id, known).then((told) => explainedHere(call.out, told)),
        options.history ? store.tasks.history({ machine: 'task', entityId: task.id }) : [],
        store.tasks.words(task.id),
      ]);
      const attempt = attempts.at(-1);
      const sessions = await store.tasks.sessions({ runId: task.runId });
      const session = sessions.find(({ id }) => id === attempt?.sessionId);
      const deadline = deadlineLine(task, { attempt, session });
      const siblings = await store.tasks.listAttempts({ runId: task.runId });
      const begun = await beginTimes(store, sharing(siblings, task));
      const run = explanation.cause === 'run_paused' ? await store.runs.get(task.runId) : null;
      return {
        runReason: run?.statusReason ?? null,
        task: { ...task, triesBegun: triesOf(task) },
        attempts: attempts.map((each) => viewOf(each, { attempts, sessions, begun })),
        question: ['CLOSED', 'CANCELLED'].includes(task.status) ? null : questionOf(attempt),
        verdicts,
        commit: landings.at(-1)?.commit ?? null,
        deadline,
        explanation,
        words,
        history,
      };
    });
    call.out.result(options.history ? view : { ...view, history: undefined }, (colors) =>
      [
        renderTask(view, { colors, width: widthOfTerminal(call.streams.stdout) }),
        ...(view.history.length === 0 ? [] : ['']),
        ...view.history.map(
          (event) =>
            `${colors.dim(event.at.toISOString())}  ${(event.from ?? '·').padEnd(16)} → ${event.to.padEnd(16)} ${event.actor}: ${oneLine(event.reason, 80)}`,
        ),
      ].join('\n'),
    );
  });
};

/** Attempts of the task, and those that shared an agent with one of them. */
function sharing(all: readonly Attempt[], task: Task): Attempt[] {
  const own = new Set(all.filter(({ taskId }) => taskId === task.id).map(({ sessionId }) => sessionId));
  return all.filter(({ sessionId }) => sessionId !== null && own.has(sessionId));
}

function viewOf(
  attempt: Attempt,
  {
    attempts,
    sessions,
    begun,
  }: { attempts: readonly Attempt[]; sessions: readonly AgentSession[]; begun: ReadonlyMap<string, Date> },
): AttemptView {
  const by = agentOf(
    attempt,
    sessions.find(({ id }) => id === attempt.sessionId),
  );
  return {
    ...attempt,
    try: tryNumber(attempt, attempts),
    agent: by?.agent ?? null,
    model: by?.model ?? null,
    workedMs: workedMs([attempt], { begun, sessions }),
    said: saidOf(attempt),
    reason: whyEnded(attempt),
  };
}

/** Checks whose "yes" says more than that: what a gate added, what work was judged with, which gates its tests turn red, who read it. */
const telling: readonly string[] = [
  'written',
  'train',
  'red-green',
  'review',
  'dependencies',
  'coverage',
  'history',
];

const mostListed = 20;

/** What a change adds to manifests and lock files, below its check: all of it is in `--json`. */
function listedBelow({ name, output }: StoredVerdict['results'][number]): string[] {
  if (name !== 'dependencies' || output === undefined) return [];
  const lines = output.split('\n');
  const more = lines.length - mostListed;
  return [...lines.slice(0, mostListed), ...(more > 0 ? [`and ${more} more (--json)`] : [])].map(
    (line) => `      ${oneLine(line, 300)}`,
  );
}

/** A "no", and what a gate added to the work or left behind. */
function isWorthSaying(check: StoredVerdict['results'][number]): boolean {
  return (
    !check.passed ||
    telling.includes(check.name) ||
    check.reds !== undefined ||
    check.reason.includes('; what it wrote was dropped')
  );
}

function renderTask(
  { task, attempts, question, verdicts, commit, deadline, explanation, words, runReason }: TaskView,
  { colors, width }: { colors: Colors; width: number | undefined },
): string {
  const checks = verdicts.at(-1)?.results ?? [];
  return [
    `${colors.bold(task.key)}  ${taskWord(task.status, colors)}  ${oneLine(task.title, 200)}`,
    ...(task.goal === task.title ? [] : [colors.dim(oneLine(task.goal, 200))]),
    `role ${task.role}, scope ${task.scope}, priority ${task.priority}, files ${task.files.join(' ') || 'any'}, tries ${triesText(task)}`,
    ...(commit === null ? [] : [`landed as ${colors.green(shortId(commit))}`]),
    ...(deadline === null ? [] : [deadline]),
    ...(explanation.cause === 'settled' ? [] : [whyLine(explanation)]),
    ...reasonRest(runReason),
    '',
    attempts.length === 0
      ? 'No attempt yet.'
      : fittedTable(colors, ['attempt', 'try', 'outcome', 'agent', 'time', 'cost', 'what it said'], {
          rows: attempts.map(attemptRow),
          width,
        }),
    ...attempts
      .filter(({ reason }) => reason !== null)
      .map(({ number, reason }) => `reason of attempt ${number}: ${oneLine(reason ?? '', 300)}`),
    ...(question === null ? [] : [colors.yellow(`It asks: ${oneLine(question, 300)}`)]),
    ...words.map(({ text, actor }) => `${actor.replace(/^operator:/, '')} said: ${oneLine(text, 300)}`),
    ...unmeasuredLine(attempts),
    ...attempts
      .filter((attempt) => attempt.salvageRef)
      .map((attempt) => `salvage of attempt ${attempt.number}: ${attempt.salvageRef}`),
    ...(checks.length === 0 ? [] : ['', 'Last verdict:']),
    ...checks.flatMap((check) => [
      `  ${check.passed ? colors.green('✔') : colors.red('✘')} ${check.name} ${colors.dim(`(${check.kind}${check.required ? '' : ', advisory'}${check.cached ? ', cached' : ''})`)}${testsText(check)}${isWorthSaying(check) ? ` ${oneLine(check.reason, 160)}` : ''}`,
      ...listedBelow(check),
    ]),
  ].join('\n');
}

function attemptRow(attempt: AttemptView): string[] {
  const { agent, model } = attempt;
  return [
    String(attempt.number),
    attempt.try === null ? '–' : String(attempt.try),
    attempt.outcome ?? 'open',
    agent === null ? '–' : oneLine(agentText({ agent, model }), 32),
    attempt.endedAt ? formatMs(attempt.workedMs) : '–',
    costText(costOf([attempt])),
    oneLine(attempt.said ?? '', 80) || '–',
  ];
}

function unmeasuredLine(attempts: readonly Attempt[]): string[] {
  const why = whyUnmeasured(attempts);
  return why === null ? [] : [`cost not measured: ${why}`];
}

/** The cause, who acts next, and the command if there is one. */
function whyLine({ text, owner, unblock, root }: Explanation): string {
  const how = unblock === null ? '' : `; unblock: ${unblock}`;
  const behind = root === null ? '' : ` At the root, ${root.key}: ${oneLine(root.text, 200)}`;
  return `${oneLine(text, 300)} Next: ${owner}${how}${behind}`;
}
