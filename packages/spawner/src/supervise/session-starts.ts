/** Starts of processes in one session, which may be closed while one of them is under way. */
export interface SessionStarts {
  /** Starts a process; null: the session is closed, and nothing was started. */
  begin<T>(start: () => Promise<T>): Promise<T | null>;
  /** Lets no further start begin. Ends when the one under way is over, so that its process can be ended. */
  close(): Promise<void>;
}

/** Makes the starts of a new session. */
export function sessionStarts(): SessionStarts {
  let isClosed = false;
  let starting: Promise<unknown> = Promise.resolve();
  return {
    begin(start) {
      if (isClosed) return Promise.resolve(null);
      const started = start();
      starting = started.catch(() => undefined);
      return started;
    },
    async close() {
      isClosed = true;
      await starting;
    },
  };
}
