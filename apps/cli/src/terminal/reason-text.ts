import { oneLine } from './format.ts';

/** A reason of several lines says what is wrong, and in its last line how to fix it. */
export function reasonParts(reason: string): { what: string; fix: string | null } {
  const lines = reason.trimEnd().split('\n');
  const last = lines.length > 1 ? (lines.pop() ?? null) : null;
  return { what: lines.join('\n'), fix: last };
}

/** A reason for a screen: its first line cut to a width, and all that follow, indented. */
export function reasonText(reason: string, width: number): string {
  const [first = ''] = reason.split('\n', 1);
  return [oneLine(first, width), ...reasonRest(reason)].join('\n');
}

/** What a reason says after its first line, indented; empty for a reason of one line, or none. */
export function reasonRest(reason: string | null): string[] {
  const [, ...rest] = (reason ?? '').trimEnd().split('\n');
  return rest.map((line) => `  ${line}`);
}
