import {
  adviseSetup,
  detectProject,
  ignoredPaths,
  runsPathPython,
  setupLine,
  type SetupAdvice,
} from '@baton/janitor';
import { BatonError, type Gate, type WorkspaceSetup } from '@baton/contracts';

import { loadConfig } from '../plan/load-config.ts';
import { openProject } from '../project/project.ts';
import { readFacts, setUpText } from '../run/detect.ts';
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
  const config = await loadConfig(root);
  const configured = config.workspace ?? null;
  const facts = await readFacts(call, project);
  const found = detectProject(facts);
  const ignored = await ignoredPaths({ git, root });
  // What a command makes is not known before it ran; `baton init` runs it.
  const made = configured?.setup === undefined ? [] : (found.workspace?.symlink ?? []);
  const advice = adviseSetup({ facts, ignored, untracked: [], configured, made, outputs: [] });
  const submodules = await submoduleWarnings({ git, root }, configured ?? found.workspace);
  const warnings = [...(configured === null ? found.warnings : []), ...submodules];
  return [
    ...setUpFindings({ configured, found: found.workspace, advice, warnings }),
    ...misledFindings(facts.pythonSource, { gates: config.gates, found: found.workspace }),
  ];
};

/** Gates of `baton.yaml` whose Python imports the checkout: they would judge it in place of the work. Pure. */
export function misledFindings(
  source: string | undefined,
  { gates, found }: { gates: readonly Gate[]; found: WorkspaceSetup | null },
): Finding[] {
  const misled = gates.filter(({ command }) => runsPathPython(command)).map((gate) => gate.name);
  if (source === undefined || misled.length === 0) return [];
  const line = found === null ? '' : `Write \`${setupLine(found)}\` in baton.yaml, and `;
  return [
    {
      name: 'set-up',
      status: 'fail',
      text: `python3 of PATH imports the source of this checkout (${source}), so these gates judge the checkout and not the work: ${misled.join(', ')}`,
      fix: `${line}${line === '' ? 'S' : 's'}tart these gates with .venv/bin/python in place of python3 or pytest.`,
    },
  ];
}

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
