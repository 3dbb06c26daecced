/**
 * Legal moves that no path of the product takes, as `machine: from → to`. They stay in the tables for completeness: a session
 * is never restarted but replaced. A test holds the list exact.
 */
export const unreachedEdges = ['execution: failed → starting', 'execution: stopped → starting'];
