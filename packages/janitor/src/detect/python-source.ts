import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Exec } from '@baton/contracts';
import { readJson } from './repo-facts.ts';
import { namesIn, readStart } from './read-start.ts';

/** How gates run programs. */
export interface GatePrograms {
  exec: Exec;
  /** Their complete environment. */
  env: Readonly<Record<string, string>>;
}

const patienceMs = 15_000;
/** Only what is built in is imported: anything else could come from the folder that it runs in. */
const question = 'import sys; print("\\0".join([sys.prefix] + sys.path))';

/**
 * What leads from the `python3` that gates find in PATH into the source of a checkout: an editable installation, a `.pth`
 * file, or a folder on its path. A gate that runs it judges the checkout and not the work. Null: nothing does.
 */
export async function sourceInPython({ exec, env }: GatePrograms, root: string): Promise<string | null> {
  const told = await exec(['python3', '-c', question], { cwd: root, env, timeoutMs: patienceMs });
  if (told.exitCode !== 0) return null;
  const [prefix = '', ...folders] = told.stdout.replace(/\r?\n$/, '').split('\0');
  const own = await real(prefix);
  for (const folder of new Set(folders)) {
    if (!path.isAbsolute(folder)) continue;
    if (!isIn(await real(folder), own) && (await leadsInto(folder, root))) return folder;
    for (const name of await namesIn(folder))
      if (await namesSource(path.join(folder, name), root)) return path.join(folder, name);
  }
  return null;
}

/** Whether a command runs Python, or pytest, as PATH has it: by itself or in a script for a shell. */
export function runsPathPython(command: readonly string[]): boolean {
  return command
    .flatMap((word) => word.split(/[\s;&|()]+/))
    .some((word) => /^(python[\d.]*|pytest|py\.test)$/.test(word));
}

/** Whether an entry of a folder of Python packages names the source of a checkout. */
export async function namesSource(entry: string, root: string): Promise<boolean> {
  const name = path.basename(entry);
  if (name.endsWith('.dist-info')) return isEditableOf(path.join(entry, 'direct_url.json'), root);
  if (!/\.(pth|egg-link)$|^__editable__.*\.py$/.test(name)) return false;
  const text = (await readStart(entry)) ?? '';
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const quoted = [...text.matchAll(/'(\/[^'\n]*)'|"(\/[^"\n]*)"/g)].map(([, one, two]) => one ?? two ?? '');
  for (const each of new Set([...lines, ...quoted]))
    if (path.isAbsolute(each) && (await leadsInto(each, root))) return true;
  return false;
}

async function isEditableOf(file: string, root: string): Promise<boolean> {
  const { url, dir_info: info } = readJson((await readStart(file)) ?? undefined);
  const isEditable =
    typeof info === 'object' && info !== null && 'editable' in info && info.editable === true;
  if (!isEditable || typeof url !== 'string' || !url.startsWith('file://')) return false;
  try {
    return await leadsInto(fileURLToPath(url), root);
  } catch {
    return false; // no address of a file
  }
}

async function leadsInto(file: string, root: string): Promise<boolean> {
  return isIn(path.resolve(file), root) || isIn(await real(file), await real(root));
}

function isIn(file: string, folder: string): boolean {
  return file === folder || file.startsWith(`${folder}${path.sep}`);
}

function real(file: string): Promise<string> {
  return realpath(file).catch(() => path.resolve(file));
}
