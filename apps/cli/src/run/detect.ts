import { detectProject, readRepository, type DetectedProject } from '@baton/janitor';
import { commandText, type WorkspaceSetup } from '@baton/contracts';

import type { Call } from '../terminal/call.ts';
import type { Project } from '../project/project.ts';
import { submoduleWarnings } from './submodules.ts';

/** Looks for set-up and gates of a repository. @throws FILE_MISSING, GIT_FAILED */
export async function detect(
  { env }: Pick<Call, 'env'>,
  { git, root }: Pick<Project, 'git' | 'root'>,
): Promise<DetectedProject> {
  const found = detectProject(await readRepository({ git, root, path: env.all['PATH'] ?? '' }));
  const submodules = await submoduleWarnings({ git, root }, found.workspace);
  return { ...found, warnings: [...found.warnings, ...submodules] };
}

/** A set-up in words: what is taken over, what is run. */
export function setUpText(workspace: WorkspaceSetup | null): string {
  if (workspace === null) return 'none';
  const taken = [...workspace.symlink, ...workspace.copy];
  const parts = [
    ...(taken.length > 0 ? [`${taken.join(', ')} from your checkout`] : []),
    ...(workspace.setup === undefined ? [] : [`\`${commandText(workspace.setup)}\``]),
  ];
  return parts.join(' and ') || 'none';
}
