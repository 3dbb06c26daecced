import { lstatSync } from 'node:fs';
import { bytesOf, fromText, textOf, type BytePath } from './byte-path.ts';
import { config } from './agent-git.ts';
import { textIn } from './plain-reads.ts';
import { excludeFile, type Workspace } from './workspace.ts';

/** What git writes into a git folder by itself, objects apart: its index, locks, and work of its upkeep. */
const byName = [
  /^(COMMIT_EDITMSG|TAG_EDITMSG|gc\.(log|pid)|commondir|gitdir|index|sharedindex\.[0-9a-f]+)$/,
  /^(index|HEAD|config|packed-refs|shallow|AUTO_MERGE|[A-Z_]+_HEAD)\.lock$/,
  /^fsmonitor--daemon(\/cookies\/.*|\.ipc)?$/,
  /^hooks\/[^/]+\.sample$/,
  /^objects\/info\/(packs|alternates|commit-graph|commit-graphs\/.*)$/,
  /^objects\/pack\/multi-pack-index(-.*)?$/,
  /^objects\/(pack\/|[0-9a-f]{2}\/)?\.?tmp[-_].*$/,
];
const id = '[0-9a-f]{40}(?:[0-9a-f]{24})?';
/** The same by each of its lines: names of commits, and logs of what they were. */
const byLines: readonly (readonly [file: RegExp, line: RegExp])[] = [
  [/^logs\//, new RegExp(`^${id} ${id} .* \\d+ [+-]\\d{4}(\\t.*)?$`)],
  [/^FETCH_HEAD$/, new RegExp(`^${id}\\t`)],
  [/^(packed-refs|info\/refs)$/, new RegExp(`^(#.*|\\^?${id}(\\s.*)?)$`)],
  [/^description$/, /^Unnamed repository; edit this file/],
  [/^(refs\/.*|[A-Z_]+)$/, new RegExp(`^(ref: refs/\\S+|${id})$`)],
];
/** A larger file is kept whatever it holds. */
const mostText = 1024 * 1024;
/** Settings that describe the repository, or that agents and installers write without any work in them. */
const plainSetting =
  /^\s*(\[\w+( ".*")?\]|(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|hookspath|name|email|auto|objectformat|remote|merge)\s*=.*|[#;].*)?$/i;

/** Of files in an agent's git folder, those that neither git nor Baton writes there. Paths are relative to it. */
export function gitOwned(workspace: Workspace, files: readonly BytePath[]): BytePath[] {
  const isSha1 = workspace.clone.objectFormat === 'sha1';
  const own = isSha1 ? objects(38, 40) : objects(62, 64);
  const others = isSha1 ? objects(62, 64) : objects(38, 40);
  // Git cannot read objects of another format into the clone, so that all of their repository is kept as files.
  if (files.some((file) => others.test(file))) return files.filter((file) => !own.test(file));
  return files.filter((file) => !own.test(file) && !isGits(workspace, file));
}

function objects(looseLength: number, packLength: number): RegExp {
  const loose = `[0-9a-f]{2}/[0-9a-f]{${looseLength}}`;
  return new RegExp(
    `^objects/(${loose}|pack/pack-[0-9a-f]{${packLength}}\\.(pack|idx|rev|bitmap|mtimes|keep|promisor))$`,
  );
}

function isGits(workspace: Workspace, file: BytePath): boolean {
  if (byName.some((pattern) => pattern.test(file))) return true;
  const stat = lstatSync(bytesOf(`${fromText(workspace.gitDir)}/${file}`), { throwIfNoEntry: false });
  if (stat === undefined) return true;
  if (!stat.isFile()) return false;
  if (stat.size > mostText) return false;
  const lines = textIn(`${workspace.gitDir}/${textOf(file)}`)
    .split('\n')
    .filter((line) => line.trim() !== '');
  if (/^config(\.worktree)?$/.test(file)) {
    const ours = new Set(config(workspace.clone.objectFormat !== 'sha1').split('\n'));
    return lines.every((line) => ours.has(line) || plainSetting.test(line));
  }
  if (file === 'info/exclude') {
    const ours = new Set(textIn(excludeFile(workspace)).split('\n'));
    return lines.every((line) => line.startsWith('#') || ours.has(line));
  }
  return (
    lines.length > 0 &&
    byLines.some(([name, line]) => name.test(file) && lines.every((one) => line.test(one)))
  );
}
