import { carriersOf, carryHere, isAlive, isHere } from '../../project/carriers.ts';
import type { AddCommands } from '../../terminal/call.ts';
import { count } from '../../terminal/format.ts';
import { operator, pickRun, withStore, type RepoOption } from '../../project/with-store.ts';

/** `baton stop`: ends the process that carries a run out, as its own Ctrl-C would. */
export const addStop: AddCommands = (program, define) => {
  const command = program
    .command('stop')
    .argument('[run]', 'id or slug; the newest run when left out')
    .description('end the process that carries a run out; work is saved and the run can be resumed')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--dry-run', 'say which processes it would be')
    .addHelpText('after', '\nExamples:\n  $ baton stop\n  $ baton stop tidy-7k2f --dry-run');
  define(command, async (call, reference: string | undefined, options: RepoOption & { dryRun?: boolean }) => {
    const { run, workers, others, carry } = await withStore(call, options, async (stored) => {
      const { store } = stored;
      const found = await pickRun(stored, reference);
      const all = await store.workers.list();
      const busy = all.filter((worker) => worker.runId === found.id && isAlive(worker));
      for (const worker of options.dryRun ? [] : busy) {
        if (isHere(worker)) process.kill(worker.pid, 'SIGTERM');
        else await store.workers.setStatus(worker.id, 'draining', operator(call, 'baton stop'));
      }
      const carry = await carryHere(stored, found);
      return { run: found, workers: busy, others: carriersOf(found, all).length - busy.length, carry };
    });
    const view = {
      dryRun: options.dryRun === true,
      runId: run.id,
      workers: workers.map(({ id, pid, host }) => ({ id, pid, host })),
    };
    call.out.result(view, () => {
      if (workers.length === 0)
        return others === 0
          ? `No process carries ${run.slug} out.`
          : `No \`baton run\` carries ${run.slug} out; ${count(others, 'worker')} of \`baton up\` may. Let no further task of it start with \`baton pause ${run.slug}\`.`;
      return `${options.dryRun ? 'Would stop' : 'Stopping'} ${count(workers.length, 'process')} of ${run.slug}. Resume with \`${carry}\`.`;
    });
  });
};
