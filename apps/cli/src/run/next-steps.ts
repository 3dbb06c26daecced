import { requestsInto } from '@baton/contracts';
import { carryCommand } from '@baton/task-store';

import type { Colors } from '../terminal/colors.ts';
import { commandLines } from '../terminal/format.ts';
import type { LandedLoss } from './landed-loss.ts';
import { isIdle, type RunSnapshot } from './progress-lines.ts';

/** The command that the store names for a run that waits for money. */
const budgetCommand = ({ status, statusReason }: RunSnapshot['run']): string | undefined =>
  status === 'waiting' ? /`(baton budget [^`]+)`/.exec(statusReason ?? '')?.[1] : undefined;

const wantsApproval = new Set(['PLANNED', 'PENDING_APPROVAL', 'BLOCKED']);

/** What to do next, a command a line. */
export function nextSteps(
  { run, tasks }: RunSnapshot,
  {
    landed,
    lost,
    colors,
    branchIsCheckedOut,
    columns,
    offer = (command) => command,
  }: {
    offer: ((command: string) => string) | undefined;
    landed: number;
    lost: LandedLoss | null;
    colors: Colors;
    branchIsCheckedOut: boolean;
    columns: number | undefined;
  },
): string[] {
  const steps: [command: string, what: string][] = [];
  if (landed > 0) steps.push([`baton diff ${run.slug}`, 'see what changed']);
  const isRequested = requestsInto(run.plan) !== null;
  if (isRequested) steps.push([`baton pr ${run.slug}`, 'see its pull requests']);
  else if (landed > 0 && !branchIsCheckedOut)
    steps.push([`baton merge ${run.slug}`, 'take it into your branch']);
  if (run.status === 'waiting' && tasks.some(({ status }) => wantsApproval.has(status)))
    steps.push(['baton approve', 'see what waits for your approval']);
  const money = budgetCommand(run);
  if (money !== undefined) steps.push([money, 'let it spend more']);
  if (run.status === 'failed' || run.status === 'stuck') {
    const retried =
      tasks.find(({ status }) => status === 'FAILED') ?? tasks.find(({ status }) => status === 'BLOCKED');
    if (retried !== undefined) {
      const key = `${run.slug}/${retried.key}`;
      steps.push(
        [`baton task ${key}`, 'see what went wrong'],
        [`baton retry ${key}`, `grant one more try, then \`${carryCommand(run)}\``],
      );
    }
  }
  if (['running', 'waiting', 'paused'].includes(run.status) && !isIdle({ run, tasks })) {
    const restore =
      !run.standing && (lost?.kind === 'deleted' || lost?.kind === 'behind') ? ' --restore-target' : '';
    steps.push([`${carryCommand(run)}${restore}`, 'carry it on']);
  }
  const typed = steps.map(([command, what]) => [offer(command), what] as const);
  return commandLines(typed, { colors, columns });
}
