import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { Exec } from '@baton/contracts';
import { placeAgain, quoted, writeWhole } from './settings-file.ts';

const timeoutMs = 10_000;

/** What the operator's git trusts, as a setting for a git of ours. */
export interface Trust {
  /** What git's environment gains: nothing until somebody asked. */
  env(): Record<string, string>;
  /**
   * Reads the operator's settings again: trust that was given while this process runs counts.
   * @returns whether any folder is trusted
   */
  ask(): Promise<boolean>;
}

/**
 * The repositories of other owners that the operator's git trusts (`safe.directory` of the user's and the system's settings), as a
 * file of settings with nothing else in it. As a file, since git hands settings of the command line to no git that it starts in
 * another repository. The file is removed when this process ends.
 */
export function createTrust(given: { exec: Exec; env: Readonly<Record<string, string | undefined>> }): Trust {
  let file: string | null = null;
  let asking: Promise<boolean> | undefined;
  const readAnew = async () => {
    const folders = (await askedFolders(given)).flatMap(withGitFolder);
    if (folders.every((folder) => folder === '')) file = null;
    else file = writeWhole(placeAgain(file, given.env), settingsText(folders));
    return file !== null;
  };
  return {
    env: () => (file === null ? {} : { GIT_CONFIG_GLOBAL: file }),
    ask() {
      asking ??= readAnew().finally(() => {
        asking = undefined;
      });
      return asking;
    },
  };
}

async function askedFolders({
  exec,
  env,
}: {
  exec: Exec;
  env: Readonly<Record<string, string | undefined>>;
}): Promise<string[]> {
  const given = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const asked = await exec(['git', 'config', '--show-scope', '--null', '--get-all', 'safe.directory'], {
    cwd: '/',
    // Also settings in variables (GIT_CONFIG_COUNT) are read; the repository that GIT_DIR names is not.
    env: Object.fromEntries(given.filter(([name]) => name !== 'GIT_DIR' && name !== 'GIT_WORK_TREE')),
    timeoutMs,
  });
  return asked.exitCode === 0 ? trustedFolders(asked.stdout) : [];
}

/** From what git prints: scope and value by turns, each ended by NUL. What a repository says of itself does not count. Pure. */
export function trustedFolders(printed: string): string[] {
  const parts = printed.split('\0');
  return parts.filter((_, at) => at % 2 === 1 && /^(system|global|command)$/.test(parts[at - 1] ?? ''));
}

/**
 * For a command that reads a repository by its git folder, as a clone does, git checks that folder: that of a linked worktree
 * or of a submodule lies elsewhere.
 */
function withGitFolder(folder: string): string[] {
  if (folder === '' || /(^|\/)(\*|\.git)?\/?$/.test(folder)) return [folder];
  return [folder, `${folder}/.git`, ...linkedFrom(folder)];
}

/** Where the `.git` of a folder leads when it is a file (gitrepository-layout). */
function linkedFrom(folder: string): string[] {
  try {
    const [, linked] = /^gitdir: (.+)\n?$/.exec(readFileSync(path.join(folder, '.git'), 'utf8')) ?? [];
    return linked === undefined ? [] : [path.resolve(folder, linked)];
  } catch {
    return []; // a folder of its own, or none
  }
}

/** An empty value stays: git forgets at it what was trusted before. Pure. */
function settingsText(folders: readonly string[]): string {
  return `[safe]\n${folders.map((folder) => `\tdirectory = ${quoted(folder)}\n`).join('')}`;
}
