import { errorCodes, type ErrorCode } from './error-codes.ts';

const groups: readonly (readonly [title: string, first: ErrorCode])[] = [
  ['Input', 'INVALID_INPUT'],
  ['Repository', 'REPO_NOT_FOUND'],
  ['Database', 'DATABASE_UNREACHABLE'],
  ['Machines and leases', 'ILLEGAL_TRANSITION'],
  ['Agents', 'AGENT_UNKNOWN'],
  ['Money', 'BUDGET_EXCEEDED'],
  ['Server', 'UNAUTHENTICATED'],
  ['Plugins', 'PLUGIN_INVALID'],
  ['Other', 'INTERRUPTED'],
];

/**
 * The text of `docs/errors.md`: every code of {@link errorCodes} in the table's own order, in groups.
 * The generator writes it, and a test holds the file equal to it, so that page and table cannot part.
 */
export function errorReference(): string {
  const titles = new Map<string, string>(groups.map(([title, first]) => [first, title]));
  const lines = [
    '# Error codes',
    '',
    'Generated from `packages/contracts/src/error-codes.ts`; change the table there.',
    'Every error of Baton carries one of these codes, and its message names the way out.',
    '"Retry" says whether the same call may succeed later without anything being changed.',
  ];
  for (const [code, { meaning, retryable, http }] of Object.entries(errorCodes)) {
    const title = titles.get(code);
    if (title !== undefined)
      lines.push('', `## ${title}`, '', '| Code | Meaning | Retry | HTTP |', '|---|---|---|---|');
    lines.push(`| \`${code}\` | ${meaning.replaceAll('|', '\\|')} | ${retryable ? 'yes' : 'no'} | ${http} |`);
  }
  return `${lines.join('\n')}\n`;
}
