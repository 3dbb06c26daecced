import {
  agentMachine,
  cognitiveMachine,
  edges,
  executionMachine,
  taskMachine,
  toMarkdownTable,
  toMermaid,
  turnMachine,
  type MachineDefinition,
} from '@baton/fsm-core';

const machines: readonly MachineDefinition[] = [
  taskMachine,
  agentMachine,
  turnMachine,
  cognitiveMachine,
  executionMachine,
] as unknown as readonly MachineDefinition[];

/** `docs/machines/<id>.md`: diagram and table of each machine, and a page that lists them. */
export function machinePages(): Map<string, string> {
  const pages = machines.map((machine): [string, string] => [
    `docs/machines/${machine.id}.md`,
    page(machine),
  ]);
  const list = machines.map(
    (machine) =>
      `| [${machine.id}](${machine.id}.md) | ${machine.states.length} | ${edges(machine).length} | ${machine.drivenBy} | ${machine.terminal.join(', ')} |`,
  );
  const index = [
    '# The five machines',
    '',
    'Generated from `packages/fsm-core/src/machines` by `pnpm check --fix`.',
    '',
    '| machine | states | legal moves | driven by | declared terminal |',
    '| --- | --: | --: | --- | --- |',
    ...list,
    '',
  ].join('\n');
  return new Map([['docs/machines/README.md', index], ...pages]);
}

function page(machine: MachineDefinition): string {
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
