import { printableLine } from '@baton/contracts';
import Table from 'cli-table3';
import prettyMs from 'pretty-ms';

import type { Colors } from './colors.ts';
import { cutTo, widthOf } from './width.ts';

/** Money for people: `$0.0042`, `$12.30`, `<$0.0001`, `–` for nothing. */
export function formatUsd(microUsd: number): string {
  if (microUsd === 0) return '–';
  if (microUsd < 100) return '<$0.0001';
  const usd = microUsd / 1_000_000;
  return `$${usd < 1 ? usd.toFixed(4) : usd.toFixed(2)}`;
}

/** Money in a sentence, where a dash would say that there is no such amount: a budget of `$0` lets nothing cost money. */
export function formatAmount(microUsd: number): string {
  return microUsd === 0 ? '$0' : formatUsd(microUsd);
}

/** A duration for people: `340ms`, `1.2s`, `2m 5s`. */
export function formatMs(ms: number): string {
  return prettyMs(Math.max(0, ms), ms < 10_000 ? { secondsDecimalDigits: 1 } : { secondsDecimalDigits: 0 });
}

/** When an unused server of a repository ends: as long after its last use as was asked for, or soon where its user was killed. */
export function serverEndText(keepSeconds: number): string {
  return keepSeconds === 0
    ? 'ends within some 15 seconds'
    : `ends ${formatMs(keepSeconds * 1_000)} after its last use (BATON_POSTGRES_KEEP_SECONDS)`;
}

/** How long ago: `just now`, `5m ago`. */
export function formatAgo(at: Date, now: Date): string {
  return formatSilence(now.getTime() - at.getTime());
}

/** Of so many milliseconds: `3m ago`. */
export function formatSilence(ms: number): string {
  return ms < 2_000 ? 'just now' : `${prettyMs(ms, { compact: true })} ago`;
}

/** Room on a disk: `812 kB`, `66 MB`, `1.2 GB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1e6) return `${Math.ceil(bytes / 1e3)} kB`;
  return bytes < 1e9 ? `${Math.round(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

/** A time to come as the user's clock shows it, with the distance: `14:05:12 (in 45s)`, `Tue 1 Jan 2030 01:00 (in 3y)`. */
export function formatUntil(at: Date, now: Date): string {
  const ms = Math.max(0, at.getTime() - now.getTime());
  const distance = `(in ${prettyMs(Math.ceil(ms / 1000) * 1000, { compact: true })})`;
  const two = (part: number): string => String(part).padStart(2, '0');
  const clock = `${two(at.getHours())}:${two(at.getMinutes())}`;
  if (ms < 12 * 3_600_000) return `${clock}:${two(at.getSeconds())} ${distance}`;
  const [day = '', month = ''] = [days[at.getDay()], months[at.getMonth()]];
  return `${day} ${at.getDate()} ${month} ${at.getFullYear()} ${clock} ${distance}`;
}

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The first characters of a commit id, as git shows it. */
export function shortId(commit: string | null | undefined): string {
  return commit ? commit.slice(0, 9) : '–';
}

/** One line of text from outside, cut to a width that counts what a terminal would have obeyed as it is shown. */
export function oneLine(text: string, width = 100): string {
  // A character takes one column at least, with few exceptions: what is far too long is not measured as a whole.
  return cutTo(printableLine(text).slice(0, width * 8), width);
}

/**
 * A text in lines of at most so many columns, broken at spaces; a longer word has a line of its own.
 * @param options.width columns of the terminal; undefined: the text stays as it is
 * @param options.indent columns that stand before the text, and that further lines begin with
 */
export function wrapTo(
  text: string,
  { width, indent }: { width: number | undefined; indent: number },
): string {
  if (width === undefined || indent + widthOf(text) <= width) return text;
  return wrapWords(text.split(' '), { width, indent, gap: ' ' });
}

/** Like {@link wrapTo}, of parts that are not broken themselves, with `gap` between two in a line. */
export function wrapWords(
  words: readonly string[],
  { width, indent, gap }: { width: number | undefined; indent: number; gap: string },
): string {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    const isFull =
      last !== undefined && indent + widthOf(last) + gap.length + widthOf(word) > (width ?? Infinity);
    if (last === undefined || isFull) lines.push(word);
    else lines[lines.length - 1] = `${last}${gap}${word}`;
  }
  return lines.join(`\n${' '.repeat(indent)}`);
}

/** Lines of prose, each broken at spaces where it is wider than the terminal, and indented as it began. */
export function fitLines(text: string, width: number | undefined): string {
  if (width === undefined) return text;
  const fit = (line: string): string => {
    const indent = line.length - line.trimStart().length;
    return `${line.slice(0, indent)}${wrapTo(line.slice(indent), { width, indent })}`;
  };
  return text.split('\n').map(fit).join('\n');
}

/** Tokens for people: `90`, `3.2k`, `1.4M`. */
export function formatTokens(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  if (tokens < 999_500) return `${(tokens / 1_000).toFixed(tokens < 99_950 ? 1 : 0)}k`;
  return `${(tokens / 1_000_000).toFixed(1)}M`;
}

/** A table without borders: a dim head and aligned columns. */
export function table(colors: Colors, head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const made = new Table({
    head: head.map((title) => colors.dim(title)),
    chars: Object.fromEntries(
      [
        'top',
        'top-mid',
        'top-left',
        'top-right',
        'bottom',
        'bottom-mid',
        'bottom-left',
        'bottom-right',
        'left',
        'left-mid',
        'mid',
        'mid-mid',
        'right',
        'right-mid',
      ].map((name) => [name, '']),
    ),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2, compact: true },
  });
  made.options.chars.middle = '';
  for (const row of rows) made.push(row.map((cell) => colors.cell(cell)));
  // Cells hold no codes but our own sealed ones: a plain one is what the table put there for a colour that it did not see end.
  return made
    .toString()
    .replace(/\x1b\[\d+m/g, '')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Less than this of a column says nothing. */
const fewestColumns = 8;

/**
 * A table whose last column is cut to what the others leave of the terminal; without a width it is not cut.
 * @param options.width columns of the terminal
 */
export function fittedTable(
  colors: Colors,
  head: readonly string[],
  { rows, width }: { rows: readonly (readonly string[])[]; width: number | undefined },
): string {
  if (width === undefined) return table(colors, head, rows);
  const widest = (column: number) =>
    Math.max(...[head, ...rows].map((row) => widthOf(colors.strip(row[column] ?? ''))));
  const others = head.slice(0, -1).reduce((sum, _, column) => sum + widest(column) + 2, 0);
  const room = Math.max(fewestColumns, width - others);
  return table(
    colors,
    head,
    rows.map((row) => [...row.slice(0, -1), cutTo(row.at(-1) ?? '', room)]),
  );
}

/** Names for people: the first ten, and how many more there are. */
export function listed(names: readonly string[], shown = 10): string {
  const more = names.length - shown;
  return more > 0 ? `${names.slice(0, shown).join(', ')} and ${more} more` : names.join(', ');
}

/** `1 task`, `2 tasks`. */
export function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}

/**
 * Commands to type with what each does: side by side where that fits into the columns, else below one another. A command is never
 * broken: it would be copied so.
 */
export function commandLines(
  steps: readonly (readonly [command: string, what: string])[],
  { colors, columns }: { colors: Colors; columns: number | undefined },
): string[] {
  const width = Math.max(...steps.map(([command]) => command.length));
  const longest = width + 4 + Math.max(...steps.map(([, what]) => what.length));
  if (columns === undefined || longest <= columns)
    return steps.map(([command, what]) => `  ${colors.cyan(command.padEnd(width))}  ${colors.dim(what)}`);
  return steps.flatMap(([command, what]) => [`  ${colors.cyan(command)}`, `      ${colors.dim(what)}`]);
}
