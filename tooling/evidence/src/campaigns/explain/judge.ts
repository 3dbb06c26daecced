import type { Explanation } from '@baton/task-store';
import type { ExplainCase } from './format.ts';

/** What of an explanation is not as a case expects it; nothing: all is. */
export function differences(expect: ExplainCase['expect'], found: Explanation): string[] {
  const { cause, also, owner, text, until, unblock } = expect;
  const same = (what: string, wanted: unknown, is: unknown) =>
    wanted === undefined || JSON.stringify(wanted) === JSON.stringify(is)
      ? []
      : [`${what} is ${JSON.stringify(is)}, not ${JSON.stringify(wanted)}`];
  const holds = (what: string, wanted: string | null | undefined, is: string | null) =>
    wanted === undefined || (wanted === null ? is === null : is?.includes(wanted) === true)
      ? []
      : [`${what} is ${JSON.stringify(is)}, without ${JSON.stringify(wanted)}`];
  return [
    ...same('cause', cause, found.cause),
    ...same('also', also, found.also),
    ...holds('owner', owner, found.owner),
    ...holds('text', text, found.text),
    ...holds('unblock', unblock, found.unblock),
    ...same('until', until, until === undefined ? undefined : found.until === null ? 'unknown' : 'known'),
    ...(found.text === '' || found.owner === '' ? ['text or owner is empty'] : []),
  ];
}
