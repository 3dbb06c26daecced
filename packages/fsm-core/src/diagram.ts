import type { MachineDefinition } from './definition.ts';
import { edges } from './inspect.ts';
import { cellsFrom } from './table.ts';

/** Draws a machine as a Mermaid state diagram: every edge with its event, dynamic ones and overrides marked as such. */
export function toMermaid(machine: MachineDefinition): string {
  const definition: MachineDefinition<string> = machine;
  const drawn = edges(definition).map(({ from, event, to, dynamic, alias }) => {
    const names = alias === undefined ? event : `${event} / ${alias}`;
    return `${from} --> ${to} : ${names}${dynamic ? ' (dynamic)' : ''}`;
  });
  const lines = [
    ...definition.initial.map((state) => `[*] --> ${state}`),
    ...drawn,
    ...definition.overrides.map(({ event, from, to }) => `${from} --> ${to} : ${event} (override)`),
    ...definition.terminal.map((state) => `${state} --> [*]`),
  ];
  return ['stateDiagram-v2', ...lines.map((line) => `    ${line}`)].join('\n');
}

function aligned(rows: readonly (readonly string[])[]): string {
  const escaped = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths =
    escaped[0]?.map((_, column) => Math.max(3, ...escaped.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(escaped[0] ?? []), rule, ...escaped.slice(1).map(line)].join('\n');
}

/** Prints a machine as a Markdown table, one row a cell, then its overrides. Columns are padded, as formatters leave them. */
export function toMarkdownTable(machine: MachineDefinition): string {
  const definition: MachineDefinition<string> = machine;
  const cells = definition.states.flatMap((from) =>
    cellsFrom(definition, from).map(({ event, targets, rules }) => {
      const alias = definition.aliases.find(({ as, when }) => as === event && when.includes(from))?.name;
      const notes = [
        ...rules.flatMap((rule) => rule.note ?? []),
        ...(alias === undefined ? [] : [`alias ${alias}`]),
      ];
      return [from, event, targets.join(' or '), notes.join('; ')];
    }),
  );
  const forced = definition.overrides.map(({ event, from, to, note }) => [
    from,
    event,
    to,
    ['override', note ?? []].flat().join('; '),
  ]);
  return aligned([['From', 'Event', 'To', 'Notes'], ...cells, ...forced]);
}
