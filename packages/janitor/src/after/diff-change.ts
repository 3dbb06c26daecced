import type { Git } from '@baton/contracts';
import { printedName, quotingNames } from '../printed-name.ts';
import { gitText } from '../run-git.ts';

/** What one piece of work changed. */
export interface ChangeDiff {
  /** Unified diff; null when it was not asked for. */
  text: string | null;
  /** One line for each file and a sum, as `git diff --stat`. */
  stat: string;
  /** Added and removed lines; null for a file that is not text. */
  files: { path: string; added: number | null; removed: number | null }[];
}

const mostColumns = 100;

/**
 * The change between two commits, without what attributes of the tree or settings of the user would run on it.
 * @throws GIT_FAILED
 */
export async function diffChange(options: {
  git: Git;
  /** Repository that holds both commits. */
  repo: string;
  from: string;
  to: string;
  /** Whether the diff itself is wanted. */
  patch: boolean;
  /** Columns that the lines of `stat` may take; 100 at most and when left out. */
  columns?: number | undefined;
}): Promise<ChangeDiff> {
  const { git, repo, from, to, patch, columns = mostColumns } = options;
  const diff = async (...format: string[]): Promise<string> =>
    gitText(
      git,
      [...quotingNames, 'diff', '--no-color', '--no-ext-diff', '--no-textconv', ...format, from, to],
      {
        cwd: repo,
      },
    );
  const [text, stat, numbers] = await Promise.all([
    patch ? diff() : null,
    diff(`--stat=${Math.min(columns, mostColumns)}`),
    diff('--numstat', '--no-renames'),
  ]);
  return {
    text,
    stat,
    files: numbers
      .split('\n')
      .filter((entry) => entry !== '')
      .map(fileOf),
  };
}

function fileOf(entry: string): ChangeDiff['files'][number] {
  const [added = '', removed = '', ...path] = entry.split('\t');
  const lines = (number: string): number | null => (number === '-' ? null : Number(number));
  return { path: printedName(path.join('\t')), added: lines(added), removed: lines(removed) };
}
