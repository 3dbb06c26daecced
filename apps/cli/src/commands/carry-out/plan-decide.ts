import type { Command } from 'commander';

import type { Call, Define } from '../../terminal/call.ts';
import { count, listed } from '../../terminal/format.ts';
import { carryOnLines } from '../../look/decide.ts';
import { pickTask } from '../../project/pick-task.ts';
import { operator, pickRun, withStore, type RepoOption } from '../../project/with-store.ts';

type Verb = 'approve' | 'reject';

interface DecideOptions extends RepoOption {
  task?: string[];
  reason: string;
  dryRun?: boolean;
}

/** `baton plan approve` and `baton plan reject`: a person's word on tasks that are planned. */
export function addDecision(family: Command, define: Define, verb: Verb): void {
  const command = family
    .command(verb)
    .argument('[run]', 'id or slug; the newest run when left out')
    .description(
      verb === 'approve' ? 'let the planned tasks of a run start' : 'cancel the planned tasks of a run',
    )
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--task <key...>', 'only these tasks')
    .option('--reason <text>', 'why, for the record', `plan ${verb} on the command line`)
    .option('--dry-run', 'say which tasks it would be')
    .addHelpText(
      'after',
      `\nExamples:\n  $ baton plan ${verb} tidy-7k2f\n  $ baton plan ${verb} tidy-7k2f --task format changelog`,
    );
  define(command, async (call, reference: string | undefined, options: DecideOptions) => {
    const { slug, runId, keys, next } = await decide(call, { verb, reference, options });
    call.out.result({ dryRun: options.dryRun === true, runId, tasks: keys, next }, () => {
      if (keys.length === 0) return `No task of ${slug} waits for a decision.`;
      const done = { approve: 'Approved', reject: 'Rejected' }[verb];
      const what = `${options.dryRun ? `Would ${verb}` : done} ${count(keys.length, 'task')}: ${listed(keys)}.`;
      return next === null ? what : `${what} ${next}`;
    });
  });
}

async function decide(
  call: Call,
  { verb, reference, options }: { verb: Verb; reference: string | undefined; options: DecideOptions },
): Promise<{ slug: string; runId: string; keys: string[]; next: string | null }> {
  return withStore(call, options, async (stored) => {
    const { id: runId, slug } = await pickRun(stored, reference);
    const wanted = options.task
      ? await Promise.all(options.task.map((key) => pickTask(stored, key, { runId })))
      : (await stored.store.tasks.list({ runId, status: ['PLANNED'], limit: 200 })).items;
    const planned = wanted.filter((task) => task.status === 'PLANNED');
    const decision = {
      ...operator(call, options.reason),
      ...(options.task ? { taskIds: planned.map((task) => task.id) } : {}),
    };
    if (!options.dryRun && planned.length > 0) {
      if (verb === 'approve') await stored.store.runs.approvePlan(runId, decision);
      else await stored.store.runs.rejectPlan(runId, decision);
      await stored.store.runs.settle(runId);
    }
    const canBegin = verb === 'approve' && !options.dryRun;
    const [next = null] = canBegin ? await carryOnLines(stored, planned) : [];
    return { slug, runId, keys: planned.map((task) => task.key), next };
  });
}
