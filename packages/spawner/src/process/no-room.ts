import { BatonError, type ErrorCode } from '@baton/contracts';

/** Error codes of a start for which the machine, or the limits of this user, had no room at that moment. */
const crowded: readonly string[] = ['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'];

/** Whether an error of the system says that processes, open files or memory have run out. */
export function isCrowded(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && crowded.includes(code);
}

/**
 * The error of a program that could not be started because processes, open files or memory had run out; null: that is not the reason.
 * @param what the program, as a sentence begins with it
 * @param options.error code of the start that failed
 */
export function noRoom(
  what: string,
  { error, code }: { error: string | undefined; code: ErrorCode },
): BatonError | null {
  if (error === undefined || !crowded.includes(error)) return null;
  return new BatonError(
    code,
    `${what} cannot be started: processes, open files or memory ran out (${error}).`,
    { fix: makeRoom },
  );
}

const makeRoom =
  'End what uses them up, or raise the limits (`ulimit -u`, `ulimit -n`). Nothing is lost: work continues when there is room.';

/** The way out where a program itself says that it could start or open no more; null: it says nothing of the kind. */
export function roomToMake(said: string): string | null {
  const isCrowdedThere =
    /(?:cannot|unable to) fork|unable to create thread|Too many open files|Cannot allocate memory/i.test(
      said,
    );
  return isCrowdedThere ? makeRoom : null;
}
