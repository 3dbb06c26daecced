import { shellText, workspaceSetup, type WorkspaceSetup } from '@baton/contracts';
import { setupLine } from '@baton/janitor';

import { listed } from '../terminal/format.ts';
import type { Project } from '../project/project.ts';

const fetching = ['git', 'submodule', 'update', '--init', '--recursive'];

/**
 * Says that submodules of a repository are empty in worktrees, with the line that fills them; nothing where there are none, or
 * where the set-up does so.
 */
export async function submoduleWarnings(
  { git, root }: Pick<Project, 'git' | 'root'>,
  workspace: WorkspaceSetup | null,
): Promise<string[]> {
  if (workspace?.setup?.some((word) => word.includes('submodule')) === true) return [];
  const args = ['config', '-z', '--file', '.gitmodules', '--get-regexp', '\\.path$'];
  const found = await git(args, { cwd: root });
  const paths = found.stdout
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => entry.slice(entry.indexOf('\n') + 1));
  if (found.exitCode !== 0 || paths.length === 0) return [];
  const what =
    paths.length === 1 ? 'is a submodule, and its folder is' : 'are submodules, and their folders are';
  return [
    `${listed(paths)} ${what} empty in worktrees. If agents or gates need it, write \`${setupLine(withSubmodules(workspace))}\` in baton.yaml.`,
  ];
}

function withSubmodules(workspace: WorkspaceSetup | null): WorkspaceSetup {
  const before = workspace ?? workspaceSetup.parse({});
  const { setup } = before;
  if (setup === undefined) return { ...before, setup: fetching };
  const rest = setup[0] === 'sh' && setup[1] === '-c' ? (setup[2] ?? '') : shellText(setup);
  return { ...before, setup: ['sh', '-c', `${fetching.join(' ')} && ${rest}`] };
}
