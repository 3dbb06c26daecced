import {
  adviseSetup,
  detectProject,
  ignoredPaths,
  readRepository,
  setupLine,
  type SetupAdvice,
} from '@baton/janitor';
import { BatonError, type WorkspaceSetup } from '@baton/contracts';

import { loadConfig } from '../plan/load-config.ts';
import { openProject } from '../project/project.ts';
import { setUpText } from '../run/detect.ts';
import { submoduleWarnings } from '../run/submodules.ts';
import type { Check, Finding } from './checks.ts';

/** How a fresh worktree becomes usable, and what it would lack that the checkout has. */
export const checkSetUp: Check = async (call, options) => {
  const project = await openProject(call, options).catch((error: unknown) => {
    if (BatonError.is(error)) return null; // told by the check of the repository
    throw error;
  });
  if (project === null) return [];
  const { git, root } = project;
  const configured = (await loadConfig(root)).workspace ?? null;
  const facts = await readRepository({ git, root, path: call.env.all['PATH'] ?? '' });
  const found = detectProject(facts);
  const ignored = await ignoredPaths({ git, root });
  // What a command makes is not known before it ran; `baton init` runs it.
  const made = configured?.setup === undefined ? [] : (found.workspace?.symlink ?? []);
  const advice = adviseSetup({ facts, ignored, untracked: [], configured, made, outputs: [] });
  const submodules = await submoduleWarnings({ git, root }, configured ?? found.workspace);
  const warnings = [...(configured === null ? found.warnings : []), ...submodules];
  return setUpFindings({ configured, found: found.workspace, advice, warnings });
};

/** What the check says. Pure. */
export function setUpFindings({
  configured,
  found,
  advice,
  warnings,
}: {
  configured: WorkspaceSetup | null;
  /** What `baton init` would write. */
  found: WorkspaceSetup | null;
  advice: SetupAdvice | null;
  warnings: readonly string[];
}): Finding[] {
  const name = 'set-up';
  const help = advice?.workspace ?? (configured === null ? found : null);
  const others = warnings.map((text): Finding => ({ name, status: 'warn', text }));
  if (help !== null) {
    const lacking = advice === null ? 'what its lock file installs' : advice.missing.join(', ');
    const text = `a worktree lacks ${lacking}${configured === null ? '' : `; configured: ${setUpText(configured)}`}`;
    const where = configured === null ? 'in baton.yaml' : 'in baton.yaml, in place of its workspace';
    return [{ name, status: 'warn', text, fix: `Write \`${setupLine(help)}\` ${where}.` }, ...others];
  }
  const text =
    configured === null ? 'worktrees need none that is known' : `worktrees get ${setUpText(configured)}`;
  return [{ name, status: 'ok', text }, ...others];
}
