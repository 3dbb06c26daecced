import { detectProject, readRepository, type DetectedProject } from '@baton/janitor';
import type { WorkspaceSetup } from '@baton/contracts';

import type { Call } from '../cli.ts';
import type { Project } from '../project.ts';

/** Looks for set-up and gates of a repository. @throws FILE_MISSING, GIT_FAILED */
export async function detect(
  { env }: Pick<Call, 'env'>,
  { git, root }: Pick<Project, 'git' | 'root'>,
): Promise<DetectedProject> {
  return detectProject(await readRepository({ git, root, path: env.all['PATH'] ?? '' }));
}

/** A set-up in words: what is taken over, what is run. */
export function setUpText(workspace: WorkspaceSetup | null): string {
  if (workspace === null) return 'none';
  const taken = [...workspace.symlink, ...workspace.copy];
  const parts = [
    ...(taken.length > 0 ? [`${taken.join(', ')} from your checkout`] : []),
    ...(workspace.setup === undefined ? [] : [`\`${workspace.setup.join(' ')}\``]),
  ];
  return parts.join(' and ') || 'none';
}

/** A set-up as one line of YAML, e.g. `workspace: { symlink: [node_modules] }`. */
export function setUpLine(workspace: Pick<WorkspaceSetup, 'setup' | 'inputs' | 'symlink' | 'copy'>): string {
  const { setup, inputs, symlink, copy } = workspace;
  const parts = [
    ...(setup === undefined ? [] : [`setup: ${flowList(setup)}`]),
    ...(inputs === undefined ? [] : [`inputs: ${flowList(inputs)}`]),
    ...(symlink.length === 0 ? [] : [`symlink: ${flowList(symlink)}`]),
    ...(copy.length === 0 ? [] : [`copy: ${flowList(copy)}`]),
  ];
  return `workspace: { ${parts.join(', ')} }`;
}

/** A list in YAML's flow style. Words that YAML could read as something else are quoted. */
export function flowList(words: readonly string[]): string {
  const isPlain = (word: string): boolean =>
    /^[A-Za-z_./][A-Za-z0-9_./-]*$/.test(word) &&
    !/^(true|false|null|yes|no|on|off|y|n|\.(inf|nan))$/i.test(word);
  return `[${words.map((word) => (isPlain(word) ? word : JSON.stringify(word))).join(', ')}]`;
}
