import { commandText, flakyAboveOf, isFlaky } from '@baton/contracts';
import { confirmationsOf } from '@baton/janitor';
import type { GateRecord } from '@baton/task-store';

import type { AddCommands } from '../../terminal/call.ts';
import type { Colors } from '../../terminal/colors.ts';
import { oneLine, table } from '../../terminal/format.ts';
import { runsOfProject, withStore, type RepoOption } from '../../project/with-store.ts';

/** A gate with what its past means for the next red. */
interface GateView extends GateRecord {
  flaky: boolean;
  /** How often it is asked again before its red refuses work. */
  confirmations: number;
}

const none = { gates: [], flakyAbove: null };

/** `baton gates`: how often the gates of this repository were red by chance. */
export const addGates: AddCommands = (program, define) => {
  const command = program
    .command('gates')
    .description('show how steady the gates are: how often each refused a tree and then passed it')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .addHelpText(
      'after',
      '\nOf each gate, by name and command, the last 20 trees that it judged. What it refused and passed with nothing changed was red\nby chance. Above `flaky_above` of the plan or baton.yaml its reds are confirmed more often before they refuse work.\n\nExamples:\n  $ baton gates\n  $ baton gates --json',
    );
  define(command, async (call, options: RepoOption) => {
    const view = await withStore(call, { ...options, whenEmpty: () => none }, async (stored) => {
      const [newest] = await runsOfProject(stored, { limit: 1 });
      if (newest === undefined) return none;
      const records = await stored.store.trust.gates({ repoId: newest.repoId });
      const above = flakyAboveOf(newest.plan);
      return { gates: records.map((record) => viewOf(record, above)), flakyAbove: above };
    });
    call.out.result(view, (colors) => render(view.gates, colors));
  });
};

function viewOf(record: GateRecord, above: number): GateView {
  return {
    ...record,
    flaky: isFlaky(record, { above }),
    confirmations: confirmationsOf(record, { above }),
  };
}

function render(gates: readonly GateView[], colors: Colors): string {
  if (gates.length === 0) return 'No gate has judged anything here yet.';
  const rows = table(
    colors,
    ['gate', 'trees', 'refused', 'refused, then passed', 'command'],
    gates.map(({ name, judged, refused, flaked, flaky, command }) => [
      name,
      String(judged),
      String(refused),
      flaky ? colors.yellow(`${flaked} (flaky)`) : String(flaked),
      oneLine(commandText(command), 60),
    ]),
  );
  return [rows, ...gates.filter(({ flaky }) => flaky).map(advice)].join('\n');
}

function advice({ name, judged, flaked, confirmations }: GateView): string {
  return `\n${name} is flaky: ${flaked} of its last ${judged} trees were refused and then passed, with nothing changed. A red of it is confirmed by ${confirmations} more runs.\nFind what differs from run to run (time, order, ports, network), or set \`required: false\` until it is steady.`;
}
