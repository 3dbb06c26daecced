import { existsSync } from 'node:fs';
import path from 'node:path';

import { filteredPaths } from '@baton/janitor';
import { requireCompleteCommit } from '@baton/spawner';

import { count } from '../terminal/format.ts';
import type { Project } from '../project/project.ts';

const shown = 3;

/**
 * Looks whether agents can start from a commit: every file of it is there, and which of them git keeps in another form.
 * @returns what the user should know, though it stops nothing
 * @throws REPO_INCOMPLETE with the command that fetches what is missing
 */
export async function lookAtBase(
  project: Pick<Project, 'git' | 'root' | 'gitDir'>,
  commit: string,
): Promise<string | undefined> {
  const { git, root } = project;
  await requireCompleteCommit({ git, repo: root, commit });
  const own = path.join(project.gitDir, 'info', 'attributes');
  const attributesFile = existsSync(own) ? own : null;
  const found = await filteredPaths({ git, repo: root, tree: commit, paths: null, attributesFile });
  if (found.length === 0) return undefined;
  const filters = [...new Set(found.map(({ filter }) => filter))].sort();
  const files = found.slice(0, shown).map((one) => one.path);
  const more = found.length > shown ? ', …' : '';
  const which = `${count(found.length, 'file')} with a filter (${filters.join(', ')}): ${files.join(', ')}${more}`;
  return `${which}. Agents and gates see what git stores of them, and work that changes one is refused.`;
}
