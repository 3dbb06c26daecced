import { carryCommand } from '@baton/task-store';

import { listed } from '../terminal/format.ts';
import type { RunSnapshot } from './progress-lines.ts';

/** What the signals of a terminal or a service manager do while a run is carried out. */
export interface InterruptHandlers {
  /** The first signal: end in good order. */
  onFirst: () => void;
  /** The second: end at once. */
  onSecond: () => void;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Handles Ctrl-C (and its kin) until the returned function is called. A third signal ends the process then and there. */
export function handleInterrupts({ onFirst, onSecond }: InterruptHandlers): () => void {
  let received = 0;
  const handle = (): void => {
    received += 1;
    if (received === 1) onFirst();
    else if (received === 2) onSecond();
    else process.exit(130);
  };
  for (const signal of signals) process.on(signal, handle);
  return () => {
    for (const signal of signals) process.off(signal, handle);
  };
}

/** What an interrupted run leaves to do, as `--json` adds it to the result. */
export interface WhatIsLeft {
  interrupted: true;
  /** Keys of the tasks that are not settled. */
  left: string[];
  /** Those of them that an agent or the verification was at. */
  atWork: string[];
  /** The command that carries the run on. */
  resume: string;
}

/** What is left of a run that ends now. */
export function whatIsLeft(
  { run, tasks }: Pick<RunSnapshot, 'run' | 'tasks'>,
  offer = (command: string): string => command,
): WhatIsLeft {
  const open = tasks.filter(({ settled }) => !settled);
  const busy = open.filter(({ status }) => ['CLAIMED', 'IN_PROGRESS', 'DONE', 'ORPHANED'].includes(status));
  const keys = (list: typeof tasks) => list.map(({ key }) => key);
  return {
    interrupted: true,
    left: keys(open),
    atWork: keys(busy),
    resume: offer(carryCommand(run)),
  };
}

/** The same as one line. */
export function leftLine({ run, tasks }: Pick<RunSnapshot, 'run' | 'tasks'>): string {
  const { left, atWork, resume } = whatIsLeft({ run, tasks });
  const which = left.length === 0 ? 'nothing' : listed(left, 5);
  const busy = atWork.length === 0 ? '' : ` What the agents had done of ${listed(atWork, 5)} is saved then.`;
  return `Ended at once. Left of ${run.slug} (${run.id}): ${which}. Carry it on with \`${resume}\`.${busy}`;
}
