import { BatonError } from '@baton/contracts';
import { diffChange, diffRun, type ChangeDiff, type RunDiff } from '@baton/janitor';
import type { Run, Task } from '@baton/task-store';
import { InvalidArgumentError } from 'commander';

import type { AddCommands } from '../../terminal/call.ts';
import type { Call } from '../../terminal/call.ts';
import type { Colors } from '../../terminal/colors.ts';
import { count, fitLines, listed, oneLine, shortId } from '../../terminal/format.ts';
import { colorDiff } from '../../look/color-diff.ts';
import { lookedView, lookSummary } from '../../look/look-text.ts';
import { showResult, type PagerOption } from '../../look/show.ts';
import { lookAt, type Looked } from '../../look/task-change.ts';
import { pickTask } from '../../project/pick-task.ts';
import type { Place } from '../../project/project.ts';
import { placeOfRun } from '../../project/place-of-run.ts';
import { landedLoss, lossLine, withRestore, type LandedLoss } from '../../run/landed-loss.ts';
import { allTasks, pickRun, withStore, type RepoOption, type Stored } from '../../project/with-store.ts';
import { widthOfTerminal } from '../../terminal/output.ts';

interface DiffOptions extends RepoOption, PagerOption {
  attempt?: number;
  stat?: boolean;
  nameOnly?: boolean;
}

type Shown =
  | { of: 'task'; looked: Looked; diff: ChangeDiff | null }
  | { of: 'run'; run: Run; waiting: readonly Task[]; diff: RunDiff; lost: LandedLoss | null };

/** `baton diff`: what a run changed, or the work of one task. */
export const addDiff: AddCommands = (program, define) => {
  const command = program
    .command('diff')
    .argument('[task]', 'key, run/key or id of a task, or a run; without it, what the newest run has landed')
    .description('show the work of a task, landed or not, or what a run changed since its base')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--attempt <number>', 'the work of this attempt of the task', attemptNumber)
    .option('--stat', 'only files and commits')
    .option('--name-only', 'only the names of changed files')
    .option('--no-pager', 'do not page; on a terminal the pager of git is used')
    .addHelpText(
      'after',
      '\nThe work of a task is what landed, what would land, what its agent left, or what was saved of it.\n\n' +
        'Examples:\n  $ baton diff changelog\n  $ baton diff changelog --attempt 1 --stat\n  $ baton diff tidy-7k2f --no-pager',
    );
  define(command, async (call, reference: string | undefined, options: DiffOptions) => {
    const { project, shown } = await withStore(call, options, async (stored) => {
      const here = await placeOfRun(stored, { reference, words: ['diff'] });
      const task = await taskNamed(stored, { reference, options });
      return {
        project: here,
        shown:
          task === null
            ? await ofRun(stored, { reference, here })
            : await ofTask(call, { stored, here, task, options }),
      };
    });
    if (options.nameOnly) {
      call.out.result(viewOf(shown, options), () => namesOf(shown).join('\n'));
      if (shown.of === 'run' && shown.lost !== null) call.out.note(lossLine(shown.lost, shown.run.target));
      return;
    }
    const width = widthOfTerminal(call.streams.stdout);
    const render = (colors: Colors) =>
      shown.of === 'task'
        ? taskText(shown, { colors, width, options })
        : runText(shown, { colors, width, options });
    return showResult(call, { value: viewOf(shown, options), render, project }, options);
  });
};

function attemptNumber(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1)
    throw new InvalidArgumentError('It must be a number from 1 on.');
  return number;
}

/** A run by its full name comes first, then a task, then a run by the start of its slug. Null: a run is meant. */
async function taskNamed(
  stored: Stored,
  { reference, options }: { reference: string | undefined; options: DiffOptions },
): Promise<Task | null> {
  if (reference === undefined) {
    if (options.attempt === undefined) return null;
    throw new BatonError('INVALID_INPUT', 'An attempt is one of a task, and none is named.', {
      at: '--attempt',
      fix: 'Name it: `baton diff <task> --attempt 1`.',
    });
  }
  const { store, project } = stored;
  const run = await store.runs.find(reference).catch(ifUnknown);
  if (run !== null && [run.id, run.slug].includes(reference)) return null;
  if (run === null) return pickTask(stored, reference);
  return store.tasks.find(reference, project === null ? {} : { location: project.root }).catch(ifUnknown);
}

function ifUnknown(error: unknown): null {
  if (BatonError.is(error, 'NOT_FOUND') || BatonError.is(error, 'AMBIGUOUS')) return null;
  throw error;
}

async function ofTask(
  call: Call,
  { stored, here, task, options }: { stored: Stored; here: Place; task: Task; options: DiffOptions },
): Promise<Shown> {
  const place = { store: stored.store, project: here };
  const looked = await lookAt(call, place, { task, number: options.attempt });
  const { change } = looked;
  const patch = options.stat !== true && options.nameOnly !== true;
  const diff =
    change &&
    (await diffChange({ git: here.git, ...change, patch, columns: widthOfTerminal(call.streams.stdout) }));
  return { of: 'task', looked, diff };
}

async function ofRun(
  stored: Stored,
  { reference, here }: { reference: string | undefined; here: Place },
): Promise<Shown> {
  const run = await pickRun(stored, reference);
  const waiting = (await allTasks(stored.store, run.id)).filter(
    ({ status }) => status === 'PENDING_APPROVAL',
  );
  if (run.baseCommit === null) {
    throw new BatonError('CONFLICT', `${run.slug} has no base yet: no worker has begun it.`, {
      fix: `See \`baton status ${run.slug}\`.`,
    });
  }
  const { git, root: repo } = here;
  const diff = await diffRun({ git, repo, target: run.target, base: run.baseCommit }).catch(
    async (error: unknown): Promise<never> => {
      throw await withRestore({ store: stored.store, project: here }, { run, error });
    },
  );
  const lost = await landedLoss({ store: stored.store, project: here }, run);
  // A run whose target is gone before anything landed has lost nothing that this could show.
  return { of: 'run', run, waiting, diff, lost: lost !== null && lost.tasks.length > 0 ? lost : null };
}

function viewOf(shown: Shown, options: DiffOptions): Record<string, unknown> {
  const isWhole = options.stat !== true && options.nameOnly !== true;
  if (shown.of === 'task') {
    const view = lookedView(shown.looked, shown.diff);
    return isWhole ? { ...view, diff: shown.diff?.text ?? null } : view;
  }
  const { run, diff, waiting, lost } = shown;
  const view = {
    runId: run.id,
    target: run.target,
    base: run.baseCommit,
    stat: diff.stat,
    commits: diff.commits,
    waiting: waiting.map(({ id, key, title }) => ({ id, key, title })),
    lost,
  };
  if (options.nameOnly) return { ...view, files: namesOf(shown) };
  return isWhole ? { ...view, diff: diff.text } : view;
}

function namesOf(shown: Shown): string[] {
  return shown.of === 'task' ? (shown.diff?.files ?? []).map(({ path }) => path) : shown.diff.paths;
}

interface Look {
  colors: Colors;
  /** Columns of the terminal. */
  width: number | undefined;
  options: DiffOptions;
}

function taskText(
  { looked, diff }: Extract<Shown, { of: 'task' }>,
  { colors, width, options }: Look,
): string {
  if (diff === null) return lookSummary({ looked, diff }, { colors, width });
  const { key } = looked.task;
  const next =
    looked.approval === null
      ? []
      : [
          '',
          ...fitLines(
            `Land it with \`baton approve ${key}\`, or refuse it with \`baton reject ${key}\`.`,
            width,
          ).split('\n'),
        ];
  return [
    lookSummary({ looked, diff }, { colors, width }),
    ...(options.stat || diff.text === null ? [] : ['', colorDiff(diff.text, colors)]),
    ...next,
  ].join('\n');
}

function runText(
  { run, waiting, diff, lost }: Extract<Shown, { of: 'run' }>,
  { colors, width, options }: Look,
): string {
  const nothing = lost === null ? ['Nothing has landed.'] : [];
  return [
    ...diff.commits.map(
      (commit) => `${colors.yellow(shortId(commit.commit))} ${oneLine(commit.subject, 90)}`,
    ),
    ...(diff.commits.length === 0
      ? nothing
      : [colors.dim(`${count(diff.commits.length, 'commit')} on ${run.target}`)]),
    ...(lost === null ? [] : [colors.red(lossLine(lost, run.target))]),
    ...(waiting.length === 0
      ? []
      : [
          fitLines(
            `${colors.yellow('Waits for approval:')} ${listed(waiting.map(({ key }) => key))}. See \`baton diff ${waiting[0]?.key ?? ''}\`, then \`baton approve\`.`,
            width,
          ),
        ]),
    '',
    diff.stat.trimEnd(),
    ...(options.stat ? [] : ['', colorDiff(diff.text, colors)]),
  ]
    .join('\n')
    .trimEnd();
}
