import type { CompletionSignal } from '@baton/contracts';
import { checkKey } from '../checks-hash.ts';
import { checkSignal, signalName } from '../signals/check-signal.ts';
import { defaultCommandTimeoutMs } from '../signals/command-succeeds.ts';
import type { CheckContext } from './check-context.ts';
import type { PlannedCheck } from './planned-check.ts';

/** The task's signals as checks: all must hold. */
export function signalChecks(
  context: CheckContext,
  options: { signals: readonly CompletionSignal[]; versions?: Readonly<Record<string, string>> },
): PlannedCheck[] {
  const { tree } = context;
  const versions = options.versions ?? {};
  return options.signals.map((signal): PlannedCheck => {
    const check = {
      name: signalName(signal),
      kind: 'signal',
      required: true,
      run: () => checkSignal(context, signal),
    } as const;
    if (signal.type !== 'command_succeeds') return check;
    const timeoutMs = signal.timeout ?? defaultCommandTimeoutMs;
    return {
      ...check,
      key: checkKey({ tree, command: signal.command, timeoutMs, versions }),
    };
  });
}
