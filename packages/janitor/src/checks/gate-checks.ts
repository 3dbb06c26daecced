import type { Gate } from '@baton/contracts';
import { checkKey } from '../checks-hash.ts';
import { isBelow, type CheckContext } from './check-context.ts';
import type { PlannedCheck } from './planned-check.ts';
import type { MayWrite } from './judge-run.ts';
import { runCommand } from './run-command.ts';

/** How gates are run. */
export interface GateOptions {
  gates: readonly Gate[];
  allowRed: readonly string[];
  /** Null: no change is judged, so conditions on changed paths don't skip anything. */
  changedPaths: readonly string[] | null;
  versions?: Readonly<Record<string, string>>;
  /** Names of gates that may still change tracked files; all that `may_write` when left out. */
  writers?: readonly string[];
}

/** The repository's gates as checks. One whose paths the change does not touch is not asked; one that may be red is advisory. */
export function plannedGates(context: CheckContext, options: GateOptions): PlannedCheck[] {
  return options.gates.map((gate): PlannedCheck => {
    const check = {
      name: gate.name,
      kind: 'gate',
      required: gate.required && !options.allowRed.includes(gate.name),
    } as const;
    const untouched = whyNotAsked(gate, options.changedPaths);
    if (untouched !== null) return { ...check, run: () => ({ passed: true, reason: untouched }) };
    return {
      ...check,
      key: checkKey({
        tree: context.tree,
        // A report that is read is part of the question.
        command:
          gate.coverage === undefined ? gate.command : [...gate.command, JSON.stringify(gate.coverage)],
        timeoutMs: gate.timeout,
        versions: options.versions ?? {},
      }),
      run: () =>
        runCommand(context, {
          argv: gate.command,
          timeoutMs: gate.timeout,
          mayWrite: mayWriteOf(gate, options.writers),
          coverage: gate.coverage,
        }),
    };
  });
}

function mayWriteOf(gate: Gate, writers: readonly string[] | undefined): MayWrite {
  if (gate.may_write !== true) return 'never';
  return writers === undefined || writers.includes(gate.name) ? 'now' : 'before';
}

/** Whether a gate runs for a change of these paths (null: no change is judged). */
export function isAsked(gate: Gate, changedPaths: readonly string[] | null): boolean {
  return whyNotAsked(gate, changedPaths) === null;
}

function whyNotAsked(gate: Gate, changedPaths: readonly string[] | null): string | null {
  const prefixes = gate.paths ?? [];
  if (prefixes.length === 0 || changedPaths === null) return null;
  const touched = changedPaths.some((path) => prefixes.some((prefix) => isBelow(path, prefix)));
  return touched ? null : `not asked: nothing below ${prefixes.join(', ')} changed`;
}
