/**
 * Legal moves that no path of the product takes, as `machine: from → to`. They stay in the tables for completeness: an agent
 * never rests in idle (machines.md §4.1), and a session is never restarted but replaced. A test holds the list exact.
 */
export const unreachedEdges = [
  'agent: idle → dead',
  'agent: idle → working',
  'agent: working → idle',
  'execution: failed → starting',
  'execution: stopped → starting',
];
