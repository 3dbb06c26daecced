import type { Campaign, Findings, Table } from './campaign.ts';

/** A table with aligned columns; numbers stand to the right. */
export function renderTable({ columns, rows }: Table): string {
  const cells = rows.map((row) => row.map(String));
  const widths = columns.map((title, at) =>
    Math.max(title.length, ...cells.map((row) => row[at]?.length ?? 0)),
  );
  const numeric = columns.map((_, at) => rows.every((row) => typeof row[at] === 'number'));
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => (numeric[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '─'.repeat(width)).join('  ');
  return [line(columns), rule, ...cells.map(line)].join('\n');
}

/** The same table for a Markdown page. */
export function markdownTable({ columns, rows }: Table): string {
  const line = (row: readonly (string | number)[]) => `| ${row.map((cell) => String(cell)).join(' | ')} |`;
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n');
}

/** The last line of stdout. */
export function resultLine(campaign: Campaign, { holds, figures }: Findings): string {
  return JSON.stringify({ name: campaign.name, holds, figures });
}
