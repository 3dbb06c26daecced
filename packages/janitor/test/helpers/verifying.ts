import type { CompletionSignal, Gate, Verdict } from '@baton/contracts';
import { verifyTree, type VerifyOptions } from '../../src/index.ts';
import { commit, sh, userAndClone, type Files } from './repos.ts';
import { clock, exec, git, gitEnvironment } from './run.ts';

/** A base commit and a change to it, checked out; `verify` asks for the verdict. */
export interface Change {
  root: string;
  base: string;
  head: string;
  verify: (options?: Partial<VerifyOptions>) => Promise<Verdict>;
}

/** Makes a repository with a change in it. */
export async function changeOf(before: Files, after: Files): Promise<Change> {
  const { user: root, base } = await userAndClone(before);
  const head = await commit(root, after);
  await sh(root, 'checkout', '--quiet', '--detach');
  const changed = (await sh(root, 'diff', '--name-only', base, head))
    .split('\n')
    .filter((path) => path !== '');
  const fixed = {
    exec,
    git,
    clock,
    worktree: root,
    tree: head,
    baseCommit: base,
    candidateCommit: head,
    changedPaths: changed,
  };
  const checks = { gates: [], signals: [], allowRed: [], env: { PATH: gitEnvironment.PATH } };
  return { root, base, head, verify: (options = {}) => verifyTree({ ...fixed, ...checks, ...options }) };
}

/** A gate that runs a line of shell. */
export function gate(name: string, line: string, rest: Partial<Gate> = {}): Gate {
  return { name, command: ['sh', '-c', line], required: true, timeout: 20_000, ...rest };
}

/** A signal that runs a line of shell. */
export function command(line: string, timeout?: number): CompletionSignal {
  return {
    type: 'command_succeeds',
    command: ['sh', '-c', line],
    ...(timeout === undefined ? {} : { timeout }),
  };
}

/** Name → passed, of all results. */
export function answers(verdict: Verdict): Record<string, boolean> {
  return Object.fromEntries(verdict.results.map((result) => [result.name, result.passed]));
}
