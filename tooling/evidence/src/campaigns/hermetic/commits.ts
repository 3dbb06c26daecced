import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Clone } from '@baton/spawner';
import { tempDir, type TestRepo } from '@baton/testkit';
import type { Exec } from '@baton/contracts';
import { identity } from '../bench-repo.ts';

let made = 0;

/**
 * A commit on the base that holds all that a line of shell left in a checkout of its own, also what it hid from git or took git's
 * folder away for, brought into Baton's clone.
 */
export async function commitOf(
  {
    repo,
    clone,
    base,
    exec,
    env,
  }: { repo: TestRepo; clone: Clone; base: string; exec: Exec; env: Readonly<Record<string, string>> },
  { line, linter }: { line: string; linter: string },
): Promise<string> {
  await using folder = await tempDir();
  const [tree, records] = [path.join(folder.path, 'tree'), path.join(folder.path, 'records')];
  const git = async (...args: string[]): Promise<string> => {
    const own = ['git', '--git-dir', records, '--work-tree', tree, ...identity] as const;
    return (await exec([...own, ...args], { cwd: folder.path, env, timeoutMs: 30_000 })).stdout.trim();
  };
  const cloned = ['git', 'clone', '-q', '--separate-git-dir', records, repo.path, tree] as const;
  await exec([...cloned], { cwd: folder.path, env, timeoutMs: 30_000 });
  await git('reset', '-q', '--hard', base);
  await mkdir(path.join(tree, 'node_modules', '.bin'), { recursive: true });
  await writeFile(path.join(tree, 'node_modules', '.bin', 'check'), linter);
  await exec(['sh', '-c', line], { cwd: tree, env, timeoutMs: 20_000 });
  await exec(['chmod', '-R', 'u+rwX', tree], { cwd: '/', env, timeoutMs: 20_000 });
  await exec(['find', tree, '-type', 'p', '-delete'], { cwd: '/', env, timeoutMs: 20_000 }); // whoever commits waits at none
  await git('add', '--all', '--ignore-errors');
  await git('commit', '-q', '--allow-empty', '-m', 'work');
  const name = `work-${(made += 1)}`;
  await repo.git('fetch', '-q', records, `+HEAD:refs/heads/${name}`);
  return clone.fetchTarget(name);
}
