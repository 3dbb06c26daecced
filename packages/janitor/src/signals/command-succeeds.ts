import type { CheckContext, Finding } from '../checks/check-context.ts';
import { runCommand } from '../checks/run-command.ts';

/** Time a signal's command has when it names none, in ms. */
export const defaultCommandTimeoutMs = 600_000;

/** `command_succeeds`: the command ends with exit code 0 on the tree, in time. */
export async function commandSucceeds(
  context: CheckContext,
  signal: { command: readonly string[]; timeout?: number | undefined },
): Promise<Finding> {
  return runCommand(context, { argv: signal.command, timeoutMs: signal.timeout ?? defaultCommandTimeoutMs });
}
