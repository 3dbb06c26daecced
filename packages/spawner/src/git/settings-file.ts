import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A place for a file of git settings; it is removed when this process ends. */
export function newSettingsFile(env: Readonly<Record<string, string | undefined>>): string {
  const place = mkdtempSync(path.join(env['TMPDIR'] ?? tmpdir(), 'baton-git-'));
  process.once('exit', () => rmSync(place, { recursive: true, force: true }));
  return path.join(place, 'config');
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
