import { userInfo } from 'node:os';
import path from 'node:path';

/**
 * The home of an account; null: neither HOME nor the list of accounts names one, as in a container with a user id of its own.
 * @param named HOME of the environment. A relative one is ignored: it would be another folder in each place.
 */
export function accountHome(named: string | undefined): string | null {
  if (named !== undefined && path.isAbsolute(named)) return named;
  try {
    return userInfo().homedir;
  } catch {
    return null;
  }
}

/** Name of the account, or `user-<id>` where the list of accounts has none. */
export function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user-${process.getuid?.() ?? 0}`;
  }
}
