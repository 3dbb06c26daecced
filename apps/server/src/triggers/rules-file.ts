import { stat } from 'node:fs/promises';
import { BatonError, type Log } from '@baton/contracts';
import { loadTriggers, type TriggersFile } from '@baton/triggers';

/** `triggers.yaml` as it is now. */
export interface RulesFile {
  /** The rules that hold: those of the newest version of the file that was valid. */
  current(): TriggersFile;
  /** Where they were read; null: nowhere yet. */
  file(): string | null;
  /** What is wrong with the file as it is, with line and column; null: nothing, its rules hold. */
  problem(): string | null;
  /** Reads the file again if it changed. Never rejects: a broken edit keeps the old rules and is logged once. */
  refresh(): Promise<void>;
}

/**
 * Reads the rules.
 * @param path null: no rules
 * @param options.mayLack Whether the file may be missing: its rules hold as soon as it is there.
 * @throws FILE_MISSING, CONFIG_INVALID when the file is wrong from the start
 */
export async function openRulesFile(
  path: string | null,
  { log, mayLack = false }: { log: Log; mayLack?: boolean },
): Promise<RulesFile> {
  if (path === null)
    return {
      current: () => ({ rules: [] }),
      file: () => null,
      problem: () => null,
      refresh: async () => undefined,
    };
  let seen = await versionOf(path);
  let isThere = !mayLack || seen !== missing;
  let rules = isThere ? await loadTriggers(path) : { rules: [] };
  let problem: string | null = null;
  const fails = (cause: unknown) => {
    const before = problem;
    problem = cause instanceof Error ? cause.message : String(cause);
    // Only what is wrong with the text stays so until the file changes: a file that cannot be read now may be in a moment.
    if (!BatonError.is(cause, 'CONFIG_INVALID')) seen = unread;
    if (problem === before) return;
    const at = BatonError.is(cause) ? (cause.at ?? path) : path;
    log.error('the trigger rules are invalid; the previous ones stay in use', { at, problem });
  };
  return {
    current: () => rules,
    file: () => (isThere ? path : null),
    problem: () => problem,
    async refresh() {
      const version = await versionOf(path);
      if (version === seen) return;
      seen = version;
      try {
        rules = await loadTriggers(path);
        isThere = true;
        problem = null;
        log.info('the trigger rules were read again', { file: path, rules: rules.rules.length });
      } catch (cause) {
        fails(cause);
      }
    },
  };
}

const missing = 'missing';
const unread = 'unread';

/** Changes whenever the file does; editors that replace a file change its inode. */
async function versionOf(path: string): Promise<string> {
  const file = await stat(path, { bigint: true }).catch(() => null);
  return file === null ? missing : `${file.ino} ${file.size} ${file.mtimeNs} ${file.ctimeNs}`;
}
