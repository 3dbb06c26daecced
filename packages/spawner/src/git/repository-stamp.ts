import { lstatSync } from 'node:fs';
import path from 'node:path';

/** What of a git folder a git that stays up reads once: its settings, and where its objects are. */
const readOnce = ['config', 'objects', 'objects/info/alternates'];

/** Equal as long as a git that was started in a folder earlier would find the same repository with the same settings there now. */
export function repositoryStamp(cwd: string): string {
  const bare = stampsOf(cwd);
  return bare[1] === missing ? [...bare, ...stampsOf(path.join(cwd, '.git'))].join(' ') : bare.join(' ');
}

const missing = '-';

function stampsOf(folder: string): string[] {
  return [folder, ...readOnce.map((name) => `${folder}/${name}`)].map(stampOf);
}

/** Of a folder only which one it is: what is in it changes with each object. */
function stampOf(file: string): string {
  try {
    const stat = lstatSync(file, { throwIfNoEntry: false });
    if (stat === undefined) return missing;
    return stat.isDirectory() ? `${stat.ino}` : `${stat.ino},${stat.size},${stat.ctimeMs}`;
  } catch {
    return missing;
  }
}
