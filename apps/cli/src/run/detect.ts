import { detectProject, readRepository, type DetectedProject, type RepoFacts } from '@baton/janitor';
import { commandText, type WorkspaceSetup } from '@baton/contracts';
import { agentEnvironment } from '@baton/spawner';

import type { Call } from '../terminal/call.ts';
import type { Project } from '../project/project.ts';
import { submoduleWarnings } from './submodules.ts';

/** Looks for set-up and gates of a repository. @throws FILE_MISSING, GIT_FAILED */
export async function detect(
  { env }: Pick<Call, 'env'>,
  { git, exec, root }: Pick<Project, 'git' | 'exec' | 'root'>,
): Promise<DetectedProject> {
  const found = detectProject(await readFacts({ env }, { git, exec, root }));
  const submodules = await submoduleWarnings({ git, root }, found.workspace);
  return { ...found, warnings: [...found.warnings, ...submodules] };
}

/** What is known of a repository, and of the programs that its gates would find. @throws FILE_MISSING, GIT_FAILED */
export function readFacts(
  { env }: Pick<Call, 'env'>,
  { git, exec, root }: Pick<Project, 'git' | 'exec' | 'root'>,
): Promise<RepoFacts> {
  const gates = { exec, env: agentEnvironment({ base: env.all }) };
  return readRepository({ git, root, path: env.all['PATH'] ?? '', gates });
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
