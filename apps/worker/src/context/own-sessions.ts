/** Which sessions this process claimed: one that the store counts as ours and that is not here was claimed without our hearing of it. */
export interface Claims {
  /** Calls the store and keeps the session until {@link Claims.drop}. */
  take<T extends { sessionId: string }>(claim: () => Promise<T | null>): Promise<T | null>;
  drop(sessionId: string): void;
  /** Its batch ended here, and the store did not hear of it. */
  leave(sessionId: string, reason: string): void;
  /** What became of one of {@link Claims.unclaimedOf}, for people. */
  endOf(sessionId: string): string;
  /**
   * Those of the listed sessions that no agent here works on. Empty while a claim is under way: it may be one of them.
   *
   * @param list Reads the living sessions of this worker from the store.
   */
  unclaimedOf<T extends { id: string }>(list: () => Promise<T[]>): Promise<T[]>;
}

/** Starts with none. */
export function createClaims(): Claims {
  const known = new Set<string>();
  const left = new Map<string, string>();
  let begun = 0;
  let ended = 0;
  return {
    async take(claim) {
      begun += 1;
      try {
        const got = await claim();
        if (got !== null) known.add(got.sessionId);
        return got;
      } finally {
        ended += 1;
      }
    },
    drop: (sessionId) => void known.delete(sessionId),
    leave: (sessionId, reason) => void left.set(sessionId, reason),
    endOf(sessionId) {
      const reason = left.get(sessionId);
      return reason === undefined
        ? 'its worker did not hear the answer to its claim, and started no agent for it'
        : `its worker gave it up, and could not report that: ${reason}`;
    },
    async unclaimedOf(list) {
      const before = begun;
      if (ended < before) return [];
      const leftBefore = [...left.keys()];
      const here = new Set(known); // one that ends before the answer may still be listed
      const listed = await list();
      const ids = new Set(listed.map(({ id }) => id));
      for (const id of leftBefore) if (!ids.has(id)) left.delete(id);
      return begun === before ? listed.filter(({ id }) => !here.has(id)) : [];
    },
  };
}
