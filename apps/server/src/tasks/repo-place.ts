import { hostname } from 'node:os';
import path from 'node:path';

/** Where a repository is, as the store keeps it: `host` is null for a URL, which any worker can serve. */
export interface RepoPlace {
  location: string;
  host: string | null;
}

/** Whether a repository is reached over the network: a URL, or `user@host:path`. */
export function isRemote(location: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(location) || /^[^/\s]+@[^/\s]+:/.test(location);
}

/** A local path is made absolute, and only workers of this host can serve it. */
export function repoPlace(location: string, options: { folder: string }): RepoPlace {
  if (isRemote(location)) return { location, host: null };
  return { location: path.resolve(options.folder, location), host: hostname() };
}

/** The repository that the server works for: its own, else the one that its triggers lie in. */
export function ownPlace(env: { repo: string | null; triggersFile: string | null }): RepoPlace {
  if (env.repo !== null) return repoPlace(env.repo, { folder: '.' });
  return repoPlace('.', { folder: path.dirname(path.resolve(env.triggersFile ?? '.')) });
}

/** Whether two places are one repository on one machine, however their paths end. */
export function isSamePlace(a: RepoPlace, b: RepoPlace): boolean {
  const plain = ({ location }: RepoPlace) =>
    path.posix
      .normalize(location.replace(/^file:\/\//, ''))
      .replace(/\/+$/, '')
      .replace(/\.git$/, '');
  return plain(a) === plain(b) && (a.host ?? b.host) === (b.host ?? a.host);
}
