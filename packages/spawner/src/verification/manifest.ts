import { lstatSync, readFileSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { setImmediate as breathe } from 'node:timers/promises';
import path from 'node:path';
import type { Exec } from '@baton/contracts';
import { BatonError } from '@baton/contracts';

/** What lists folders. */
export interface ManifestTools {
  exec: Exec;
  env: Readonly<Record<string, string>>;
}

/** Entries that are looked at between two turns of the event loop. */
const atOnce = 2_000;
const shown = 5;

/**
 * Writes down what lies below a folder: path, kind and mode, size, inode, time of the last change (in parts of a second that the file
 * system has) and link target of each entry. That time grows with every change and cannot be set, so equal lists mean that nothing
 * was written in between, not even something that was put back.
 *
 * @param file Absolute file that the list is written to.
 * @throws WORKSPACE_FAILED
 */
export async function writeManifest(folder: string, file: string, tools: ManifestTools): Promise<void> {
  if (process.platform !== 'linux' || !(await byFind(folder, file, tools)))
    writeFileSync(file, await byWalk(folder));
}

/** Paths (at most 5) that differ between two lists; empty: equal. The order of their lines does not matter. */
export function manifestDifference(before: string, after: string): string[] {
  const [old, now] = [readFileSync(before), readFileSync(after)];
  if (old.equals(now)) return [];
  const lines = (list: Buffer) => new Set(list.toString('utf8').split('\0'));
  const [oldLines, nowLines] = [lines(old), lines(now)];
  const differs = [...nowLines].filter((line) => !oldLines.has(line));
  differs.push(...[...oldLines].filter((line) => !nowLines.has(line)));
  return [...new Set(differs.map((line) => line.split('\n')[0] ?? ''))].sort().slice(0, shown);
}

/** GNU find lists 20,000 entries in a tenth of the time; false where there is another. */
async function byFind(folder: string, file: string, { exec, env }: ManifestTools): Promise<boolean> {
  const line = 'cd -- "$1" && exec find . -mindepth 1 -printf "$3" >"$2"';
  const format = '%P\\n%y%m %s %i %C@ %l\\0';
  const argv = ['sh', '-c', line, 'baton', folder, file, format] as const;
  const ended = await exec([...argv], { cwd: '/', env, timeoutMs: 10 * 60_000 });
  if (ended.exitCode === 0) return true;
  if (/unrecognized|unknown predicate|not found|-printf/.test(ended.stderr)) return false;
  throw new BatonError(
    'WORKSPACE_FAILED',
    `${folder} cannot be listed: ${ended.stderr.trim().slice(0, 500)}`,
    {
      fix: 'See that nothing else writes there and that the disk has room, then try again.',
      at: folder,
    },
  );
}

async function byWalk(top: string): Promise<string> {
  const lines: string[] = [];
  const waiting = [''];
  let seen = 0;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const name of readdirSync(path.join(top, folder)).sort()) {
      const entry = path.join(folder, name);
      const stat = lstatSync(path.join(top, entry), { bigint: true });
      const link = stat.isSymbolicLink() ? readlinkSync(path.join(top, entry)) : '';
      lines.push(`${entry}\n${stat.mode.toString(8)} ${stat.size} ${stat.ino} ${stat.ctimeNs} ${link}\0`);
      if (stat.isDirectory()) waiting.push(entry);
      if ((seen += 1) % atOnce === 0) await breathe();
    }
  }
  return lines.join('');
}
