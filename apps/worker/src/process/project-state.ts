import { createHash } from 'node:crypto';
import path from 'node:path';

/** Where everything that Baton keeps for one repository lives: outside the repository, in the user's state folder. */
export interface ProjectState {
  /** Folder of this project. */
  dir: string;
  /** Home of the embedded Postgres cluster: one a project. */
  pgHome: string;
  /** Session logs and worker logs. */
  logsDir: string;
}

/**
 * The state folder of a repository: named after it, and told apart by a hash of its path.
 * @param options.home Baton's state folder ($BATON_HOME, else the XDG state folder)
 * @param options.repoRoot absolute path of the repository, or its URL
 */
export function projectState({ home, repoRoot }: { home: string; repoRoot: string }): ProjectState {
  const hash = createHash('sha256').update(repoRoot).digest('hex').slice(0, 8);
  const name = (repoRoot.split(/[/\\]/).at(-1) ?? '').replace(/\.git$/, '').replace(/[^A-Za-z0-9._-]+/g, '-');
  const dir = path.join(home, 'projects', `${name === '' ? 'repository' : name}-${hash}`);
  return { dir, pgHome: path.join(dir, 'postgres'), logsDir: path.join(dir, 'logs') };
}
