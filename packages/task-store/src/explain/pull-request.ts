import { clause, firstLine, type Answer } from './answer.ts';
import type { ExplainFacts } from './explain.sql.ts';

/** Finished work that is a pull request: whom it waits for, or why its host cannot be asked. Null: it is none, or is verified first. */
export function pullRequestOpen({ key, request, runStatus, run }: ExplainFacts): Answer | null {
  if (request === null) return null;
  const { state, url, branch, red, trouble, lookAt } = request;
  const where = url ?? `the branch ${branch}`;
  if (red !== null)
    return {
      cause: 'merged_red',
      text: `The pull request of ${key} (${where}) was merged, and the target does not pass with it: ${clause(red)}.`,
      owner: 'a person',
      unblock: `make the target pass with a further commit${runStatus === 'paused' ? `, then \`baton run --resume ${run}\`` : '; it is looked at again by itself'}`,
    };
  if (trouble !== null)
    return {
      cause: 'pull_request_trouble',
      text: `The pull request of ${key} (${where}) cannot be ${state === 'opening' ? 'opened' : 'looked at'}: ${clause(firstLine(trouble))}.`,
      owner: 'a person, or the next look',
      until: lookAt,
      unblock: wayOut(trouble),
    };
  if (state !== 'open') return null;
  return {
    cause: 'pull_request_open',
    text: `${key} is finished and waits to be merged: ${where}.`,
    owner: 'a person',
    unblock: `merge or close ${where}`,
  };
}

/** The last line of a trouble says what to do about it, where a person can do something. */
function wayOut(trouble: string): string | null {
  const [, ...lines] = trouble.split('\n');
  return lines.at(-1)?.trim() || null;
}
