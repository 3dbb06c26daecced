import { stat } from 'node:fs/promises';
import { BatonError, type Log } from '@baton/contracts';
import { loadTriggers, type TriggersFile } from '@baton/triggers';

/** `triggers.yaml` as it stands now. */
export interface RulesFile {
  /** The rules that hold: those of the newest version of the file that was valid. */
  current(): TriggersFile;
  /** What is wrong with the file as it stands, with line and column; null: nothing, its rules hold. */
  problem(): string | null;
  /** Reads the file again if it changed. Never rejects: a broken edit keeps the old rules and is told once. */
  refresh(): Promise<void>;
}

/**
 * Reads the rules.
 * @param path null: no rules
 * @throws FILE_MISSING, CONFIG_INVALID when the file is wrong from the start
 */
export async function openRulesFile(path: string | null, options: { log: Log }): Promise<RulesFile> {
  const { log } = options;
  if (path === null)
    return { current: () => ({ rules: [] }), problem: () => null, refresh: async () => undefined };
  let seen = await versionOf(path);
  let rules = await loadTriggers(path);
  let problem: string | null = null;
  return {
    current: () => rules,
    problem: () => problem,
    async refresh() {
      const version = await versionOf(path);
      if (version === seen) return;
      seen = version;
      try {
        rules = await loadTriggers(path);
        problem = null;
        log.info('the trigger rules were read again', { file: path, rules: rules.rules.length });
      } catch (cause) {
        problem = cause instanceof Error ? cause.message : String(cause);
        const at = BatonError.is(cause) ? (cause.at ?? path) : path;
        log.error('the trigger rules are invalid; the previous ones stay in use', { at, problem });
      }
    },
  };
}

/** Changes whenever the file does; editors that replace a file change its inode. */
async function versionOf(path: string): Promise<string> {
  const file = await stat(path, { bigint: true }).catch(() => null);
  return file === null ? 'missing' : `${file.ino} ${file.size} ${file.mtimeNs}`;
}
