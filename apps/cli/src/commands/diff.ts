import { BatonError } from '@baton/contracts';
import { diffRun } from '@baton/janitor';

import type { AddCommands } from '../cli.ts';
import { count, oneLine, shortId } from '../format.ts';
import { requireProject } from '../project.ts';
import { pickRun, withStore, type RepoOption } from '../with-store.ts';

/** `baton diff`: what a run changed. */
export const addDiff: AddCommands = (program, define) => {
  const command = program
    .command('diff')
    .argument('[run]', 'id or slug; the newest run when left out')
    .description('show what a run changed since its base')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--stat', 'only files and commits')
    .addHelpText('after', '\nExamples:\n  $ baton diff | less -R\n  $ baton diff tidy-7k2f --stat');
  define(command, async (call, reference: string | undefined, options: RepoOption & { stat?: boolean }) => {
    const { run, diff } = await withStore(call, options, async (stored) => {
      const { git, root } = requireProject(stored.project);
      const found = await pickRun(stored, reference);
      if (found.baseCommit === null) {
        throw new BatonError('CONFLICT', `${found.slug} has no base yet: no worker has begun it.`, {
          fix: `See \`baton status ${found.slug}\`.`,
        });
      }
      return {
        run: found,
        diff: await diffRun({ git, repo: root, target: found.target, base: found.baseCommit }),
      };
    });
    const view = {
      runId: run.id,
      target: run.target,
      base: run.baseCommit,
      stat: diff.stat,
      commits: diff.commits,
    };
    call.out.result(options.stat ? view : { ...view, diff: diff.text }, (colors) =>
      [
        ...diff.commits.map(
          (commit) => `${colors.yellow(shortId(commit.commit))} ${oneLine(commit.subject, 90)}`,
        ),
        diff.commits.length === 0
          ? 'Nothing has landed.'
          : colors.dim(`${count(diff.commits.length, 'commit')} on ${run.target}`),
        '',
        diff.stat.trimEnd(),
        ...(options.stat ? [] : ['', colorDiff(diff.text.trimEnd(), colors)]),
      ]
        .join('\n')
        .trimEnd(),
    );
  });
};

function colorDiff(
  text: string,
  colors: {
    green: (text: string) => string;
    red: (text: string) => string;
    cyan: (text: string) => string;
    bold: (text: string) => string;
  },
): string {
  return text
    .split('\n')
    .map((whole) => {
      const line = whole.replace(/\r$/, '␍'); // a change of line ends is a change, too

      if (/^(diff|index|---|\+\+\+) /.test(line)) return colors.bold(line);
      if (line.startsWith('@@')) return colors.cyan(line);
      if (line.startsWith('+')) return colors.green(line);
      return line.startsWith('-') ? colors.red(line) : line;
    })
    .join('\n');
}
