import type { MachineDefinition } from './definition.ts';
import { edges } from './inspect.ts';
import { cellsFrom } from './table.ts';

/** Words of Mermaid's own that cannot name a state, in any case of letters. */
const reserved = /^(as|class|classdef|click|default|direction|end|hide|href|note|scale|state|style)$/i;

const isPlain = (name: string): boolean => /^[a-z_]\w*$/i.test(name) && !reserved.test(name);

/** Text as Mermaid shows it: what has a meaning to it, and what ends a line, as entity codes. */
const shown = (text: string): string =>
  text.replace(/[^\p{L}\p{N} _.,()/+*-]/gu, (sign) => `#${sign.codePointAt(0) ?? 0};`);

/** What a diagram calls each state: its own name, or where that is none to Mermaid, one that no other state has. */
function namesIn({ states }: MachineDefinition<string>): ReadonlyMap<string, string> {
  return new Map(
    states.map((state, at) => {
      let name = isPlain(state) ? state : `s${at}`;
      while (name !== state && states.includes(name)) name = `_${name}`;
      return [state, name];
    }),
  );
}

/** Draws a machine as a Mermaid state diagram: every edge with its event, dynamic ones and overrides marked as such. Names may hold any text. */
export function toMermaid(machine: MachineDefinition): string {
  const definition: MachineDefinition<string> = machine;
  const names = namesIn(definition);
  const named = (state: string): string => names.get(state) ?? state;
  const drawn = edges(definition).map(({ from, event, to, dynamic, alias }) => {
    const said = shown(alias === undefined ? event : `${event} / ${alias}`);
    return `${named(from)} --> ${named(to)} : ${said}${dynamic ? ' (dynamic)' : ''}`;
  });
  const lines = [
    ...[...names].flatMap(([state, name]) => (name === state ? [] : [`state "${shown(state)}" as ${name}`])),
    ...definition.initial.map((state) => `[*] --> ${named(state)}`),
    ...drawn,
    ...definition.overrides.map(
      ({ event, from, to }) => `${named(from)} --> ${named(to)} : ${shown(event)} (override)`,
    ),
    ...definition.terminal.map((state) => `${named(state)} --> [*]`),
  ];
  return ['stateDiagram-v2', ...lines.map((line) => `    ${line}`)].join('\n');
}

function aligned(rows: readonly (readonly string[])[]): string {
  const escaped = rows.map((row) =>
    row.map((cell) => cell.replaceAll('|', '\\|').replace(/\s*[\r\n]+\s*/g, ' ')),
  );
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
