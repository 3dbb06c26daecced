import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeTemporaryFolder } from '../process/temporary-folder.ts';

/** A place for a file of git settings; it is removed when this process ends. @throws WORKSPACE_FAILED, STATE_UNWRITABLE */
function newSettingsFile(env: Readonly<Record<string, string | undefined>>): string {
  const place = makeTemporaryFolder(env, 'baton-git-');
  process.once('exit', () => rmSync(place, { recursive: true, force: true }));
  return path.join(place, 'config');
}

/** The place that was made before, or a new one: what cleans folders of temporary files up may have removed it. */
export function placeAgain(place: string | null, env: Readonly<Record<string, string | undefined>>): string {
  return place !== null && existsSync(path.dirname(place)) ? place : newSettingsFile(env);
}

/** Atomically: a git that reads the file at that moment sees the old or the new text. */
export function writeWhole(file: string, text: string): string {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return file;
}

/** A value, or the name of a subsection, as it is written in a file of git settings. Pure. */
export function quoted(value: string): string {
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
