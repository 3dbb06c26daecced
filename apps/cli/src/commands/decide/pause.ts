import type { Run, Store } from '@baton/task-store';

import { carriersOf, carryHere } from '../../project/carriers.ts';
import type { AddCommands } from '../../terminal/call.ts';
import type { Define } from '../../terminal/call.ts';
import { oneLine } from '../../terminal/format.ts';
import { carryLine } from '../../look/carry-line.ts';
import { heldBy, type Held } from '../../run/held.ts';
import { runWord } from '../../terminal/status-words.ts';
import { operator, pickRun, withStore, type RepoOption, type Stored } from '../../project/with-store.ts';
import type { Command } from 'commander';

interface Verb {
  name: 'pause' | 'resume';
  description: string;
  move: (store: Store, runId: string, by: { actor: string; reason: string }) => Promise<Run>;
}

/** `baton pause` and `baton resume`. */
export const addPauseAndResume: AddCommands = (program, define) => {
  addVerb(program, define, {
    name: 'pause',
    description: 'let no further task of a run start; running agents finish',
    move: (store, runId, by) => store.runs.pause(runId, by),
  });
  addVerb(program, define, {
    name: 'resume',
    description: 'let the tasks of a paused run start again',
    move: (store, runId, by) => store.runs.resume(runId, by),
  });
};

/**
 * Who carries it on. What held the run was not looked at by this command: who does that, before anything else starts. Null: it is
 * carried, and nothing held it.
 */
async function nextOf(
  stored: Stored,
  { run, held }: { run: Run; held: Held | null },
): Promise<string | null> {
  const workers = await stored.store.workers.list();
  if (held === null) return carryLine(stored, { run, workers });
  return carriersOf(run, workers).length > 0
    ? 'That was not looked at yet: the next worker does so first, and holds the run again if it is still so.'
    : `That was not looked at yet, and no process carries the run: \`${await carryHere(stored, run)}\` does so first, and holds it again if it is still so.`;
}

function addVerb(program: Command, define: Define, verb: Verb): void {
  const command = program
    .command(verb.name)
    .argument('[run]', 'id or slug; the newest run when left out')
    .description(verb.description)
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--dry-run', 'say which run it would be')
    .addHelpText('after', `\nExamples:\n  $ baton ${verb.name}\n  $ baton ${verb.name} tidy-7k2f`);
  define(command, async (call, reference: string | undefined, options: RepoOption & { dryRun?: boolean }) => {
    const { run, held, next } = await withStore(call, options, async (stored) => {
      const found = await pickRun(stored, reference);
      const cause = verb.name === 'resume' ? heldBy(found) : null;
      if (options.dryRun) return { run: found, held: cause, next: null };
      const moved = await verb.move(
        stored.store,
        found.id,
        operator(call, `${verb.name} on the command line`),
      );
      const next = verb.name === 'resume' ? await nextOf(stored, { run: moved, held: cause }) : null;
      return { run: moved, held: cause, next: next && call.out.hints(next) };
    });
    const result = { dryRun: options.dryRun === true, runId: run.id, status: run.status, held, next };
    call.out.result(result, (colors) =>
      [
        options.dryRun ? `Would ${verb.name} ${run.slug}.` : `${run.slug} is ${runWord(run.status, colors)}.`,
        ...(held === null ? [] : [`It was held: ${oneLine(held.text, 300)}`]),
        ...(next === null ? [] : [next]),
      ].join('\n'),
    );
  });
}
