import { flakyAboveOf, isFlaky } from '@baton/contracts';
import type { GateRecord, Run, Store } from '@baton/task-store';

import type { Colors } from '../terminal/colors.ts';

/** A gate of a run that was red by chance more often than the run puts up with. */
export type FlakyGate = Pick<GateRecord, 'name' | 'judged' | 'flaked'>;

/** The gates of a run that are flaky (docs/spec/landing.md#flaky-gates), as `baton explain` and `baton gates` judge them. */
export async function flakyGatesOf(store: Store, { repoId, plan, gates }: Run): Promise<FlakyGate[]> {
  if (gates.length === 0) return [];
  const above = flakyAboveOf(plan);
  const records = await store.trust.gates({ repoId });
  return records
    .filter((record) => isFlaky(record, { above }) && gates.some((gate) => isOf(record, gate)))
    .map(({ name, judged, flaked }) => ({ name, judged, flaked }));
}

function isOf(record: GateRecord, { name, command }: Run['gates'][number]): boolean {
  return record.name === name && JSON.stringify(record.command) === JSON.stringify(command);
}

/** `! The gate tests is flaky: …` for each; nothing where none is. */
export function flakyLines(gates: readonly FlakyGate[], colors: Colors): string[] {
  return gates.map(({ name, judged, flaked }) =>
    colors.yellow(
      `! The gate ${name} is flaky: it refused ${flaked} of the last ${judged} trees and then passed them, with nothing changed. \`baton gates\` says what to do.`,
    ),
  );
}
