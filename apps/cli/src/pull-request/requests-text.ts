import type { Colors } from '../terminal/colors.ts';
import { count, fitLines, fittedTable, oneLine } from '../terminal/format.ts';
import type { RequestRow, RequestsView } from './look-at-requests.ts';

/** The pull requests of a run for people: where each is, and what it waits for. Pure. */
export function requestsText(
  { slug, into, perTask, requests }: RequestsView,
  { colors, width }: { colors: Colors; width: number | undefined },
): string {
  if (requests.length === 0)
    return perTask
      ? `No task of ${slug} has a pull request yet: see \`baton status ${slug}\`.`
      : `${slug} has no pull request: \`baton pr ${slug}\` opens one.`;
  const where = into === null ? '' : ` into ${into}`;
  const named = requests.some(({ key }) => key !== null);
  return [
    fitLines(`${colors.bold(slug)}  ${count(requests.length, 'pull request')}${where}`, width),
    '',
    fittedTable(colors, [...(named ? ['task'] : []), 'state', 'checks', 'pull request', 'why'], {
      rows: requests.map((row) => [
        ...(named ? [row.key ?? ''] : []),
        stateText(row, colors),
        row.checks ?? '–',
        row.url ?? row.branch,
        oneLine(whyOf(row), 200),
      ]),
      width,
    }),
  ].join('\n');
}

function stateText({ state, landed, red }: RequestRow, colors: Colors): string {
  if (red !== null) return colors.red('merged, red');
  if (landed) return colors.green('merged');
  return state === 'merged' ? colors.yellow('merged, not yet closed') : state;
}

function whyOf({ red, trouble, state, key, landed }: RequestRow): string {
  if (red !== null) return red;
  if (trouble !== null) return trouble.split('\n', 1)[0] ?? '';
  if (state === 'open') return 'waits to be merged';
  if (state === 'closed' && key !== null) return 'closed without a merge';
  return landed ? 'closed: the target passes with it' : '';
}
