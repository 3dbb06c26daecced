import { run } from './run.ts';

/** Files that belong to the repository or are about to, relative to the root, matching the pattern. */
export async function repositoryFiles(pattern: RegExp): Promise<string[]> {
  const { stdout } = await run(['git', 'ls-files', '--cached', '--others', '--exclude-standard', '-z']);
  const { stdout: gone } = await run(['git', 'ls-files', '--deleted', '-z']);
  const deleted = new Set(gone.split('\0'));
  return stdout.split('\0').filter((file) => file !== '' && pattern.test(file) && !deleted.has(file));
}
