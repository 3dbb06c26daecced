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
