import { access, readFile } from 'node:fs/promises';
import path from 'node:path';

import { BatonError, retention, type RepoConfig } from '@baton/contracts';
import { loadPlugins } from '@baton/plugins';
import type { TriggersFile } from '@baton/triggers';

import { loadConfig } from '../plan/load-config.ts';

/** What a repository configures for a server on it. */
export interface RepositorySettings {
  /** Absolute path of the working tree. */
  root: string;
  config: RepoConfig;
  /** Its `triggers.yaml`, if it has one. */
  triggers: { file: string; rules: TriggersFile['rules'] } | null;
}

/** Reads `baton.yaml` and `triggers.yaml`, and loads the plugins. @throws CONFIG_INVALID with line and column, PLUGIN_INVALID */
export async function readSettings(root: string): Promise<RepositorySettings> {
  const config = await loadConfig(root);
  await loadPlugins({ entries: config.plugins, resolveFrom: root });
  const file = path.join(root, 'triggers.yaml');
  const exists = await access(file).then(
    () => true,
    () => false,
  );
  const { loadTriggers } = await import('@baton/triggers');
  return { root, config, triggers: exists ? { file, rules: (await loadTriggers(file)).rules } : null };
}

/** Variables that tell server and workers of it; those that the operator has set win. */
export function settingsVariables(
  { root, config, triggers }: RepositorySettings,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  // Gates and agents of this repository are none of another one's.
  const isOther = given['BATON_REPO'] !== undefined && given['BATON_REPO'] !== root;
  return {
    BATON_REPO: root,
    BATON_PLUGINS: JSON.stringify(config.plugins),
    ...(!isOther && { BATON_KEEP: JSON.stringify(retentionText(config)) }),
    ...(triggers && { BATON_TRIGGERS: triggers.file }),
    // A branch that only people merge into is none that a server may land on.
    ...(config.target !== undefined &&
      config.landing !== 'pull_request' &&
      !isOther && { BATON_TARGET: config.target }),
    ...(!isOther && { BATON_RUN_DEFAULTS: JSON.stringify(runDefaults(config)) }),
    ...pick(given, [
      'BATON_REPO',
      'BATON_KEEP',
      'BATON_PLUGINS',
      'BATON_TRIGGERS',
      'BATON_TARGET',
      'BATON_RUN_DEFAULTS',
    ]),
  };
}

/** One or two secrets, a line each, as the server takes them. @throws FILE_MISSING, CONFIG_INVALID */
export async function readSecretFile(file: string, { cwd }: { cwd: string }): Promise<string> {
  const text = await readFile(path.resolve(cwd, file), 'utf8').catch((cause: unknown) => {
    throw new BatonError('FILE_MISSING', `${file} cannot be read.`, {
      at: file,
      fix: 'Name a file that holds the secret of the webhook: "whsec_" and the output of `openssl rand -base64 32`.',
      cause,
    });
  });
  const secrets = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if ((secrets.length === 1 || secrets.length === 2) && secrets.every((one) => /^whsec_[^\s,]+$/.test(one)))
    return secrets.join(',');
  throw new BatonError('CONFIG_INVALID', `${file} does not hold one or two webhook secrets.`, {
    at: file,
    fix: 'Write one secret a line, the newest first: "whsec_" and the output of `openssl rand -base64 32`.',
  });
}

/** As `baton.yaml` would say it: a number there means seconds. */
function runDefaults({
  gates,
  agents,
  agent,
  workspace,
  routing,
  prices,
  audit,
}: RepoConfig): Record<string, unknown> {
  return {
    gates: gates.map((gate) => ({ ...gate, timeout: `${gate.timeout}ms` })),
    agents,
    agent,
    workspace: workspace && { ...workspace, setup_timeout: `${workspace.setup_timeout}ms` },
    routing,
    prices,
    audit,
  };
}

/** As `baton.yaml` would say it: hours are the smallest unit of an age there. */
function retentionText(config: RepoConfig): Record<string, unknown> {
  const { attempts, salvage, worktrees, disk } = config.retention ?? retention.parse({});
  const text = (kept: number | 'never'): string => (kept === 'never' ? kept : `${kept / 3_600_000}h`);
  return {
    attempts: text(attempts),
    salvage: text(salvage),
    worktrees: text(worktrees),
    ...(disk !== undefined && { disk: `${disk / 1e6}MB` }),
  };
}

function pick(from: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]] as const])),
  );
}
