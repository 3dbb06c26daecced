import { lstatSync } from 'node:fs';
import path from 'node:path';

/** What of a repository a git that stays up reads once: its settings, where it borrows objects, and which repository it is. */
const readOnce = [
  'config',
  'config.worktree',
  'commondir',
  'shallow',
  'objects',
  'objects/info/alternates',
  'info/grafts',
];

/** Equal as long as a git that was started in a folder earlier would read the same settings there now. */
export function repositoryStamp(cwd: string): string {
  return ['.', '.git', ...readOnce, ...readOnce.map((name) => path.join('.git', name))]
    .map((name) => stampOf(path.join(cwd, name)))
    .join(' ');
}

/** Of a folder only which one it is: what is in it changes with each object. */
function stampOf(file: string): string {
  try {
    const stat = lstatSync(file, { bigint: true });
    return stat.isDirectory() ? `${stat.ino}` : `${stat.ino},${stat.size},${stat.ctimeNs}`;
  } catch {
    return '-';
  }
}
