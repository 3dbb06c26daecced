/** Which sessions this process claimed: one that the store counts as ours and that is not here was claimed without our hearing of it. */
export interface Claims {
  /** Calls the store and keeps the session until {@link Claims.drop}. */
  take<T extends { sessionId: string }>(claim: () => Promise<T | null>): Promise<T | null>;
  drop(sessionId: string): void;
  /**
   * Those of the listed sessions that nobody here works on. Empty while a claim is under way: it may be one of them.
   *
   * @param list Reads the living sessions of this worker from the store.
   */
  unclaimedOf<T extends { id: string }>(list: () => Promise<T[]>): Promise<T[]>;
}

/** Starts with none. */
export function createClaims(): Claims {
  const known = new Set<string>();
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
    async unclaimedOf(list) {
      const before = begun;
      if (ended < before) return [];
      const here = new Set(known); // one that ends meanwhile may still be listed
      const listed = await list();
      return begun === before ? listed.filter(({ id }) => !here.has(id)) : [];
    },
  };
}
