import type { Rule } from '../rule.ts';
import { lines, run } from '../run.ts';

const longest = 72;
/** Commits before this day are as they are. */
const since = '2026-11-23T00:00:00Z';
const conventional =
  /^(build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test)(\([a-z0-9-]+(,[a-z0-9-]+)*\))?!?: \S/;

/** What `git log --oneline` shows can be read: conventional subjects of a line that fits. */
export const commits: Rule = {
  name: 'commits',
  what: `commit subjects since ${since.slice(0, 10)} are Conventional Commits of at most ${longest} characters`,
  async check() {
    const log = ['git', 'log', '--no-merges', `--since=${since}`, '--format=%h %s'] as const;
    const { exitCode, stdout } = await run([...log]);
    if (exitCode !== 0) return []; // sources without a history
    return lines(stdout).flatMap((line) => {
      const wrong = wrongSubject(line.slice(line.indexOf(' ') + 1));
      return wrong === null ? [] : [`${line.slice(0, line.indexOf(' '))}: ${wrong}`];
    });
  },
};

/** What is wrong with a commit's subject; null: nothing. */
export function wrongSubject(subject: string): string | null {
  if (subject.length > longest) return `the subject has ${subject.length} characters: ${subject}`;
  if (!conventional.test(subject)) return `no Conventional Commit, such as "fix(spawner): …": ${subject}`;
  return null;
}
