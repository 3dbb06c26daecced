import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { mustRun } from '../run-program.ts';

/** Makes a git repository of so many small text files with one commit on `main`. */
export async function makeBenchRepo(
  repo: string,
  { files, seed }: { files: number; seed: number },
): Promise<void> {
  for (let index = 0; index < files; index += 1) {
    const folder = path.join(repo, 'src', `d${String(Math.floor(index / 100)).padStart(3, '0')}`);
    if (index % 100 === 0) mkdirSync(folder, { recursive: true });
    const lines = Array.from({ length: 20 }, (_, line) => `line ${line} of file ${index}, seed ${seed}`);
    writeFileSync(path.join(folder, `f${String(index % 100).padStart(2, '0')}.txt`), `${lines.join('\n')}\n`);
  }
  mkdirSync(path.join(repo, 'out'));
  writeFileSync(path.join(repo, 'out', '.gitkeep'), '');
  await mustRun(['git', 'init', '--quiet', '--initial-branch=main'], { cwd: repo });
  await mustRun(['git', 'add', '--all'], { cwd: repo });
  await mustRun(['git', ...identity, 'commit', '--quiet', '--message=start'], { cwd: repo });
}

/** Arguments that make git commit without anyone's configuration. */
export const identity = ['-c', 'user.name=evidence', '-c', 'user.email=evidence@example.invalid'] as const;
