import { setTimeout as delay } from 'node:timers/promises';

import { BatonError } from '@baton/contracts';
import type { Run, Store, Task } from '@baton/task-store';

import type { AddCommands } from '../../terminal/call.ts';
import { noColors } from '../../terminal/colors.ts';
import { logLine } from '../../terminal/log-line.ts';
import { pickTask } from '../../project/pick-task.ts';
import { allTasks, pickRun, withStore, type RepoOption, type Stored } from '../../project/with-store.ts';

type AgentEvents = Awaited<ReturnType<Store['streams']['events']>>;

const pageSize = 500;
const pollMs = 500;

/** `baton logs`: what the agents said and did. */
export const addLogs: AddCommands = (program, define) => {
  const command = program
    .command('logs')
    .argument('[task]', 'key, run/key or id of a task, or a run; all tasks of the newest run when left out')
    .description('show what the agents of a task or run said and did')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--run <run>', 'id or slug of the run')
    .option('--raw', 'text exactly as the agents printed it, with escape sequences that a terminal obeys')
    .option('-f, --follow', 'continue until everything shown is settled')
    .addHelpText(
      'after',
      '\nWith --json, one object a line.\n\nExamples:\n  $ baton logs changelog\n  $ baton logs -f --run tidy-7k2f',
    );
  define(command, async (call, reference: string | undefined, options: LogOptions) => {
    await withStore(call, options, async (stored) => {
      let tasks = await shownTasks(stored, reference, options.run);
      const seen = new Map<string, string>();
      for (;;) {
        const settled = tasks.every((task) =>
          ['CLOSED', 'CANCELLED', 'FAILED', 'PENDING_APPROVAL'].includes(task.status),
        );
        for (const { task, entry } of await newEvents(stored.store, { tasks, seen })) {
          const shown = { key: task.key, event: entry.event, at: entry.at };
          if (options.raw && !call.out.json) call.out.raw(logLine(shown, noColors));
          else call.out.line({ task: task.key, ...entry }, (colors) => logLine(shown, colors));
        }
        if (!options.follow || settled || call.closed.aborted) break;
        await delay(pollMs, undefined, { signal: call.closed }).catch(() => undefined);
        if (call.closed.aborted) break;
        tasks = await shownTasks(stored, reference, options.run);
      }
      const [task] = tasks;
      const run = seen.size > 0 || task === undefined ? null : await stored.store.runs.get(task.runId);
      const reason = run?.statusReason ?? null;
      if (reason !== null) call.out.note(`No agent was started. ${reason}`);
    });
  });
};

interface LogOptions extends RepoOption {
  run?: string;
  follow?: boolean;
  raw?: boolean;
}

async function shownTasks(
  stored: Stored,
  reference: string | undefined,
  runReference: string | undefined,
): Promise<Task[]> {
  const run =
    reference === undefined || runReference !== undefined ? await pickRun(stored, runReference) : undefined;
  if (reference === undefined) return run ? allTasks(stored.store, run.id) : [];
  try {
    return [await pickTask(stored, reference, run ? { runId: run.id } : {})];
  } catch (error) {
    const named =
      run === undefined && BatonError.is(error, 'NOT_FOUND') ? await runNamed(stored, reference) : null;
    if (named === null) throw error;
    return allTasks(stored.store, named.id);
  }
}

async function runNamed({ store }: Stored, reference: string): Promise<Run | null> {
  return store.runs.find(reference).catch((error: unknown) => {
    if (BatonError.is(error, 'NOT_FOUND') || BatonError.is(error, 'AMBIGUOUS')) return null;
    throw error;
  });
}

/** Events since the last look, of all tasks, oldest first. */
async function newEvents(
  store: Store,
  { tasks, seen }: { tasks: readonly Task[]; seen: Map<string, string> },
): Promise<{ task: Task; entry: AgentEvents[number] }[]> {
  const found: { task: Task; entry: AgentEvents[number] }[] = [];
  for (const task of tasks) {
    for (let full = true; full;) {
      const after = seen.get(task.id);
      const page = await store.streams.events({
        taskId: task.id,
        limit: pageSize,
        ...(after === undefined ? {} : { after }),
      });
      found.push(...page.map((entry) => ({ task, entry })));
      const last = page.at(-1);
      if (last) seen.set(task.id, last.id);
      full = page.length === pageSize;
    }
  }
  return found.sort((a, b) => a.entry.at.getTime() - b.entry.at.getTime());
}
