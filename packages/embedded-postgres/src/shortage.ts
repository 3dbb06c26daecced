import { BatonError } from '@baton/contracts';

/** How systems say that open files, processes or memory have run out at this moment. */
const crowded: readonly string[] = ['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM'];

/** Whether an error says that there was no room to look or to start something, so that it says nothing of what is there. */
export function isCrowded(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && crowded.includes(code);
}

/** Runs a task. @throws EMBEDDED_FAILED, which may be tried again, where open files, processes or memory have run out */
export async function namingShortage<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    throw isCrowded(error) ? shortage(error) : error;
  }
}

/** The error for it: nothing was decided. */
export function shortage(cause: unknown): BatonError {
  const code = String((cause as { code?: unknown }).code);
  return new BatonError(
    'EMBEDDED_FAILED',
    `The packaged Postgres cannot be looked at: open files, processes or memory ran out (${code}).`,
    {
      fix: 'End what uses them up, or raise the limits (`ulimit -n 1024`, `ulimit -u`) where Baton is started.',
      cause,
    },
  );
}

const limits: readonly [said: RegExp, name: string, command: string][] = [
  [/insufficient file descriptors|Too many open files/, 'open files', 'ulimit -n 1024'],
  [/File too large/, 'the size of files', 'ulimit -f unlimited'],
  [/could not fork|Resource temporarily unavailable/, 'processes', 'ulimit -u'],
  [/Cannot allocate memory|out of memory/i, 'memory', 'ulimit -v unlimited'],
];

/** The way out where what a server printed names a limit of this user; null: it names none. */
export function limitToRaise(said: string): string | null {
  const [, name, command] = limits.find(([words]) => words.test(said)) ?? [];
  if (name === undefined) return null;
  return `Raise the limit of ${name} where Baton is started (\`${command}\`), or set DATABASE_URL to another server.`;
}
