import { rm, symlink } from 'node:fs/promises';
import path from 'node:path';

import { BatonError, type Exec, type Git } from '@baton/contracts';

/** What the package's own tests say of the branch that work landed on. */
export interface TestProof {
  branch: string;
  passed: number;
  failed: number;
}

/** Runs the package's own tests on a fresh clone of the integration branch. @throws GIT_FAILED */
export async function proveTests(
  tools: { git: Git; exec: Exec },
  { root, node }: { root: string; node: string },
): Promise<TestProof> {
  const { git, exec } = tools;
  const listed = await git(['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads/baton/'], {
    cwd: root,
  });
  const branch = listed.stdout.trim().split('\n').at(-1) ?? '';
  const clone = `${root}-proof`;
  await rm(clone, { recursive: true, force: true });
  const cloned = await git(['clone', '--quiet', '--branch', branch, root, clone], {
    cwd: path.dirname(root),
  });
  if (cloned.exitCode !== 0)
    throw new BatonError('GIT_FAILED', `git clone failed: ${cloned.stderr.trim()}`, { at: branch });
  try {
    await symlink(path.join(root, 'node_modules'), path.join(clone, 'node_modules'), 'dir');
    const tape = path.join(clone, 'node_modules', 'tape', 'bin', 'tape');
    const result = await exec([node, tape, 'test/*.js'], { cwd: clone, env: {}, timeoutMs: 120_000 });
    const count = (word: string): number =>
      Number(new RegExp(`^# ${word} +(\\d+)`, 'm').exec(result.stdout)?.[1] ?? 0);
    const failed = result.exitCode === 0 ? count('fail') : Math.max(1, count('fail'));
    return { branch, passed: count('pass'), failed };
  } finally {
    await rm(clone, { recursive: true, force: true });
  }
}
