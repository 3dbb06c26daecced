import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { bytesOf, fromText, textOf, type BytePath } from '../tree/byte-path.ts';
import type { AttemptKey, Clone } from '../tree/clone.ts';
import type { Workspace } from '../tree/workspace.ts';

const largestSecretBytes = 1024 * 1024;

/** Folder of this machine with the secret-like files that an attempt left. */
export function secretsFolder(clone: Clone, { taskId, fence }: AttemptKey): string {
  return path.join(path.dirname(clone.path), 'kept-files', taskId, String(fence));
}

/** Whether a secret-like file can be copied: a file of at most 1 MB. */
export function canBeKept(workspace: Workspace, file: BytePath): boolean {
  const stat = lstatSync(bytesOf(`${fromText(workspace.path)}/${file}`), { throwIfNoEntry: false });
  return stat !== undefined && stat.isFile() && stat.size <= largestSecretBytes;
}

/** Whether the copy of a file is there and whole: one that was cut off by a crash counts for nothing. */
export function isKept(workspace: Workspace, attempt: AttemptKey, file: BytePath): boolean {
  const copy = path.join(secretsFolder(workspace.clone, attempt), textOf(file));
  return existsSync(copy) && readFileSync(copy).equals(read(workspace, file));
}

/** Copies secret-like files to this machine's folder. An earlier copy with other content stays beside it, as `<name>.<hash>`. */
export function keepSecrets(workspace: Workspace, attempt: AttemptKey, files: readonly BytePath[]): void {
  for (const file of files) {
    const target = path.join(secretsFolder(workspace.clone, attempt), textOf(file));
    mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 });
    if (existsSync(target) && !isKept(workspace, attempt, file)) renameSync(target, besideOf(target));
    writeFileSync(target, read(workspace, file), { mode: 0o600 });
  }
}

function besideOf(copy: string): string {
  return `${copy}.${createHash('sha256').update(readFileSync(copy)).digest('hex').slice(0, 12)}`;
}

/** Opens without waiting: a file may have become a pipe since it was looked at. */
function read(workspace: Workspace, file: BytePath): Buffer {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  const opened = openSync(bytesOf(`${fromText(workspace.path)}/${file}`), flags);
  try {
    return fstatSync(opened).isFile() ? readFileSync(opened) : Buffer.alloc(0);
  } finally {
    closeSync(opened);
  }
}
