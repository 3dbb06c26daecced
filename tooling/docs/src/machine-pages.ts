import { edges, machines, toMarkdownTable, toMermaid, type MachineDefinition } from '@baton/fsm-core';

const all = Object.values(machines) as unknown as readonly MachineDefinition<string>[];

/** `docs/machines/<id>.md`: diagram and table of each machine, and a page that lists them. */
export function machinePages(): Map<string, string> {
  const pages = all.map((machine): [string, string] => [`docs/machines/${machine.id}.md`, page(machine)]);
  const list = all.map(
    (machine) =>
      `| [${machine.id}](${machine.id}.md) | ${machine.states.length} | ${cellCount(machine)} | ${machine.drivenBy} | ${machine.terminal.join(', ')} |`,
  );
  const index = [
    '# The five machines',
    '',
    'Generated from `packages/fsm-core/src/machines` by `pnpm check --fix`.',
    '',
    '| machine | states | legal cells | driven by | declared terminal |',
    '| --- | --: | --: | --- | --- |',
    ...list,
    '',
  ].join('\n');
  return new Map([['docs/machines/README.md', index], ...pages]);
}

/** Cells are (state, event) pairs; a dynamic cell has several targets and still is one. */
function cellCount(machine: MachineDefinition<string>): number {
  return new Set(edges(machine).map(({ from, event }) => `${from} ${event}`)).size;
}

function page(machine: MachineDefinition<string>): string {
  const title = `${machine.id.charAt(0).toUpperCase()}${machine.id.slice(1)} machine`;
  return [
    `# ${title}`,
    '',
    `Generated from \`packages/fsm-core/src/machines/${machine.id}.ts\` by \`pnpm check --fix\`.`,
    '',
    '```mermaid',
    toMermaid(machine).trim(),
    '```',
    '',
    toMarkdownTable(machine).trim(),
    '',
  ].join('\n');
}
