import { BatonError } from '@baton/contracts';
import type { Run, Store } from '@baton/task-store';

/**
 * The run that a command acts on, by its id or its whole slug. The start of a slug is enough to read a run; a command that took one
 * could end or pay for a run that the caller did not mean.
 * @throws NOT_FOUND, AMBIGUOUS
 */
export async function namedRun(store: Pick<Store, 'runs'>, reference: string): Promise<Run> {
  const run = await store.runs.find(reference);
  if (run.id === reference || run.slug === reference) return run;
  throw new BatonError('NOT_FOUND', `There is no run of exactly the name "${reference}".`, {
    at: 'run',
    fix: `A command takes the whole name of a run, or its id. One run begins so: ${run.slug}.`,
  });
}
