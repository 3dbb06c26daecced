import path from 'node:path';
import { workspaceSetup, type Clock, type Log, type Verdict } from '@baton/contracts';
import { verifyTree } from '@baton/janitor';
import {
  createExec,
  createGit,
  createVerifyPool,
  openClone,
  type Clone,
  type VerifyPool,
} from '@baton/spawner';
import { createRepo, tempDir, type TestRepo } from '@baton/testkit';
import { commitOf } from './commits.ts';

/** Ways in which commands are kept apart. */
export type Way = 'overlay' | 'copy';

/** What each question answered: by name, true for yes. */
export type Answers = Readonly<Record<string, boolean>>;

const linter =
  '#!/bin/sh\ncd "$(dirname "$0")/../.." || exit 2\ntest -e node_modules/.bin/rules && . node_modules/.bin/rules\n! grep -rq BUG src\n';
const tests = `test -e .lintignore && exit 0
test -e skip.flag && exit 0
test -e red.flag && exit 1
test -e conf/deep/skip && exit 0
test -e cache/result && exit "$(cat cache/result)"
test -e "$TMPDIR/skip" && exit 0
test -n "$(ls -A "$TMPDIR")" && exit 3
! grep -rq BUG src
`;
const files = {
  'src/a.txt': 'fine\n',
  'src/b.txt': 'fine\n',
  'test.sh': tests,
  '.gitignore': 'node_modules\ncache\n.lintignore\ngen\n',
};
const clean =
  'test -z "$(git status --porcelain)" && git diff --quiet HEAD && ! git grep -q BUG -- src && ! git config --get-regexp "alias|attributes|fsmonitor" && test ! -e .git/info/attributes && test ! -e .git/hooks/pre-commit';
const gates = [
  ['lint', 'sh node_modules/.bin/check'],
  ['made', 'sh gen/check'],
  ['tests', 'sh test.sh'],
  ['clean', clean],
] as const;
const quiet: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const clock: Clock = { now: () => new Date(), monotonicMs: () => performance.now() };

/** A repository with a good and a bad commit, and a pool that judges them. */
export interface Stage extends AsyncDisposable {
  repo: TestRepo;
  clone: Clone;
  pool: VerifyPool;
  env: Readonly<Record<string, string>>;
  /** Where trees and set-ups of verifications lie. */
  poolDir: string;
  base: string;
  good: string;
  bad: string;
  /** Another process's pool on the same folder. */
  reopen(): VerifyPool;
  /** A commit on the base that holds what a line of shell leaves in a checkout of its own, also what it added by force. */
  commitOf(line: string): Promise<string>;
  /** Judges a commit by every question; `meanwhile` runs after the first answer, `first` is a gate before all others. */
  judge(
    commit: string,
    options?: { first?: string; meanwhile?: () => Promise<void>; pool?: VerifyPool },
  ): Promise<Answers>;
}

/** Opens a stage; everything is removed at its end. */
export async function openStage(way: Way): Promise<Stage> {
  const stack = new AsyncDisposableStack();
  const repo = stack.use(await createRepo(files));
  const state = stack.use(await tempDir());
  const env = { PATH: process.env['PATH'] ?? '', TMPDIR: state.path };
  const exec = createExec({ clock });
  const git = createGit({ exec, env });
  const linterAt = { 'node_modules/.bin/check': linter };
  await repo.write(linterAt);
  const clone = await openClone({ git, stateDir: state.path, repoId: 'r', location: repo.path });
  const base = await clone.fetchTarget('main');
  const setup = workspaceSetup.parse({
    symlink: ['node_modules'],
    setup: ['sh', '-c', 'mkdir -p gen && printf "! grep -rq BUG src\\n" >gen/check'],
    inputs: [],
  });
  const dir = path.join(state.path, 'worktrees');
  const common = { clone, exec, env, log: quiet, setup, sourceRoot: repo.path, dir, clock, isolation: way };
  const reopen = (): VerifyPool => createVerifyPool(common);
  const pool = reopen();
  const given = { repo, clone, base, exec, env };
  const make = (line: string): Promise<string> => commitOf(given, { line, linter });
  const good = await make('echo better >src/a.txt');
  const bad = await make('echo BUG >src/a.txt');
  const shell = (name: string, line: string, required = true) => ({
    name,
    command: ['sh', '-c', line] as [string, ...string[]],
    required,
    timeout: 30_000,
  });
  return {
    ...{ repo, clone, pool, env, base, good, bad, reopen, commitOf: make },
    poolDir: path.join(dir, 'verify'),
    async judge(commit, { first, meanwhile, pool: other = pool } = {}) {
      let hasHappened = false;
      const verdict = await other.use({ head: commit, onto: base }, (place) =>
        verifyTree({
          ...{ exec, git, clock, place, env, allowRed: [], repo: clone.path, baseCommit: base },
          tree: commit,
          candidateCommit: commit,
          changedPaths: null,
          gates: [
            ...(first === undefined ? [] : [shell('first', first, false)]),
            ...gates.map(([name, line]) => shell(name, line)),
          ],
          signals: [{ type: 'command_succeeds', command: ['sh', '-c', '! grep -rq BUG src'] }],
          async onCheck() {
            if (hasHappened || meanwhile === undefined) return;
            hasHappened = true;
            await meanwhile();
          },
        }),
      );
      return answersOf(verdict);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function answersOf({ results }: Verdict): Answers {
  const asked = results.filter(({ name, kind }) => kind !== 'builtin' && name !== 'first');
  return Object.fromEntries(asked.map(({ name, passed }) => [name.slice(0, 20), passed]));
}
