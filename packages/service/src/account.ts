import { homedir, userInfo } from 'node:os';

/**
 * The home of the account; null: neither HOME nor the list of accounts names one, as in a container with a user id of its own.
 * @param named HOME of an environment; undefined or empty: that of this process
 */
export function accountHome(named?: string): string | null {
  if (named !== undefined && named !== '') return named;
  try {
    return homedir();
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
