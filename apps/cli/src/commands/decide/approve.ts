import { BatonError } from '@baton/contracts';
import type { Approval } from '@baton/task-store';

import { canAsk } from '../../terminal/ask.ts';
import type { AddCommands } from '../../terminal/call.ts';
import type { Call } from '../../terminal/call.ts';
import { fitLines } from '../../terminal/format.ts';
import { askEach } from '../../look/ask-each.ts';
import { carryOnLines, decide, type Decided } from '../../look/decide.ts';
import { lookedView, lookSummary } from '../../look/look-text.ts';
import { lookAtWaiting, type LookPlace, type WaitingWork } from '../../look/waiting-work.ts';
import { wordsGiven } from '../../terminal/persons-words.ts';
import { pickTask } from '../../project/pick-task.ts';
import { exitCodes } from '../../terminal/render-error.ts';
import { withStore, type RepoOption, type Stored } from '../../project/with-store.ts';
import { widthOfTerminal } from '../../terminal/output.ts';

type Verb = 'approve' | 'reject';

interface Options extends RepoOption {
  reason: string;
  say?: string;
  all?: boolean;
  yes?: boolean;
  dryRun?: boolean;
}

/** What a call came to. */
interface Told {
  /** Waiting work that is listed, or that would be decided. */
  shown: WaitingWork[];
  decided: Decided[];
  /** How to carry on what was decided. */
  next: string[];
  /** Each task was asked about at the terminal, and what was decided told there. */
  isAsked: boolean;
  /** How the questions ended; null: none is left, or none was asked. */
  ended: 'quit' | 'closed' | null;
}

const nothing: Told = { shown: [], decided: [], next: [], isAsked: false, ended: null };

/** `baton approve` and `baton reject`: a person's word on finished work. */
export const addApprove: AddCommands = (program, define) => {
  for (const verb of ['approve', 'reject'] as const) {
    const command = program
      .command(verb)
      .argument('[task]', 'key, run/key or id; without it, all that waits: asked task by task on a terminal')
      .description(
        verb === 'approve'
          ? 'approve finished work that waits for a person'
          : 'say no to finished work that waits for a person',
      )
      .option('--repo <path>', 'the repository, if it is not the current folder')
      .option('--all', `${verb} all that waits, without a question`)
      .option('-y, --yes', 'do not ask')
      .option('--reason <text>', 'why, for the record', `${verb} on the command line`)
      .option('--dry-run', 'say what it would be');
    if (verb === 'reject')
      command.option('--say <words>', 'what the next try should do otherwise: it goes into its prompt');
    command.addHelpText(
      'after',
      '\nOn a terminal the reason, the checks and the changed files of each task are shown before it is asked about.\n\n' +
        `Examples:\n  $ baton ${verb}\n  $ baton ${verb} changelog --reason "read it"\n  $ baton ${verb} --all --dry-run${verb === 'reject' ? '\n  $ baton reject changelog --say "keep the old entries"' : ''}`,
    );
    define(command, async (call, reference: string | undefined, options: Options) => {
      const told = await withStore(call, { ...options, whenEmpty: () => nothing }, (stored) =>
        decideOne(call, stored, { verb, reference, options }),
      );
      tell(call, told, { verb, reference, options });
      return told.ended === 'closed' ? exitCodes.interrupted : exitCodes.ok;
    });
  }
};

interface Wish {
  verb: Verb;
  reference: string | undefined;
  options: Options;
}

async function decideOne(call: Call, stored: Stored, { verb, reference, options }: Wish): Promise<Told> {
  const { store } = stored;
  const say = wordsGiven(options.say);
  const approvals = await waitingFor(stored, reference);
  const isSure = options.all === true || options.yes === true;
  const isAsked = verb === 'approve' && !isSure && !options.dryRun && canAsk(call);
  if (isAsked) {
    const { decided, ended } = await askEach(call, stored, { approvals });
    return { shown: [], decided, next: await carryOnLines(stored, tasksOf(decided)), isAsked, ended };
  }
  const isListed = reference === undefined && !isSure;
  if (isListed || options.dryRun) return { ...nothing, shown: await lookAtAll(call, stored, approvals) };
  const decided: Decided[] = [];
  const word = { approve: verb === 'approve', reason: options.reason, say };
  for (const approval of approvals) decided.push(await decide(call, store, { approval, word }));
  return { ...nothing, decided, next: await carryOnLines(stored, tasksOf(decided)) };
}

const tasksOf = (decided: readonly Decided[]) => decided.map(({ task }) => task);

async function waitingFor(stored: Stored, reference: string | undefined): Promise<Approval[]> {
  const approvals = await stored.store.approvals.list({ status: 'waiting' });
  if (reference === undefined) return approvals;
  const waits = new Set(approvals.map(({ taskId }) => taskId));
  const task = await pickTask(stored, reference, { can: ({ id }) => waits.has(id) });
  const approval = approvals.find((item) => item.taskId === task.id);
  if (approval) return [approval];
  throw new BatonError('CONFLICT', `No finished work of "${reference}" waits for a person.`, {
    fix: 'See `baton approve` for what waits, and `baton explain` for why a task does not move.',
  });
}

async function lookAtAll(
  call: Call,
  place: LookPlace,
  approvals: readonly Approval[],
): Promise<WaitingWork[]> {
  const works: WaitingWork[] = [];
  for (const approval of approvals) {
    const work = await lookAtWaiting(call, place, approval);
    if (work !== null) works.push(work);
  }
  return works;
}

function tell(call: Call, told: Told, wish: Wish): void {
  const { shown, decided, next, isAsked, ended } = told;
  const { verb, reference, options } = wish;
  const isDryRun = options.dryRun === true;
  const value = {
    dryRun: isDryRun,
    decided: decided.length > 0,
    approvals: [...shown.map(shownView), ...decided.map(decidedView)],
    next,
  };
  call.out.result(value, (colors) => {
    if (isAsked && (decided.length > 0 || ended !== null)) return [score(decided), ...next].join('\n');
    if (decided.length > 0) return [...decided.map(({ text }) => text), ...next].join('\n');
    if (shown.length === 0) return 'Nothing waits for a person.';
    if (isDryRun && (reference !== undefined || options.all || options.yes))
      return shown.map(({ looked }) => `Would ${verb} ${looked.task.key}.`).join('\n');
    const works = shown
      .map((work) => lookSummary(work, { colors, width: widthOfTerminal(call.streams.stdout) }))
      .join('\n\n');
    const how =
      'See the work with `baton diff <task>`; decide with `baton approve <task>` or `baton reject <task>`.';
    return `${works}\n\n${colors.dim(fitLines(how, widthOfTerminal(call.streams.stdout)))}`;
  });
}

/** `1 approved, 2 rejected.` */
function score(decided: readonly Decided[]): string {
  const approved = decided.filter(({ approve }) => approve).length;
  if (decided.length === 0) return 'Nothing was decided.';
  return `${approved} approved, ${decided.length - approved} rejected.`;
}

// Only the command that decides uses the nonce; a list of what waits leaves it out.
const plain = ({ nonce: _, ...approval }: Approval): Omit<Approval, 'nonce'> => approval;

function shownView({ approval, looked, diff }: WaitingWork): object {
  const { change, weakened, stat, files } = lookedView(looked, diff);
  return { ...plain(approval), key: looked.task.key, change, weakened, stat, files };
}

function decidedView({ approval, approve, task }: Decided): object {
  return { ...plain(approval), key: task.key, status: approve ? 'approved' : 'rejected' };
}
