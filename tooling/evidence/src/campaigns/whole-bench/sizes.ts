/** A configuration, and how much of it is measured. */
export interface Size {
  agents: number;
  files: number;
  /** Tasks of the plan, of the floor and of the peer. */
  tasks: number;
  floorTasks: number;
  peerTasks: number;
  /** Whether the counting costs so little of a task's time that one run shows both. */
  countsInTime: boolean;
}

/** Numbers of agents and of files. */
export const agentsOf = [2, 8, 32] as const;
export const filesOf = [200, 5_000, 50_000] as const;

/** With more agents more tasks: each agent has some after its first, which waits for a first checkout. */
const tasksOf = {
  200: { 2: 100, 8: 160, 32: 320 },
  5_000: { 2: 100, 8: 160, 32: 320 },
  50_000: { 2: 24, 8: 40, 32: 96 },
} as const;
const floorTasksOf = { 200: 60, 5_000: 50, 50_000: 10 } as const;
const peerTasksOf = { 200: 60, 5_000: 24, 50_000: 4 } as const;

/** All configurations, few files first. */
export const sizes: readonly Size[] = filesOf.flatMap((files) =>
  agentsOf.map((agents) => ({
    ...{ agents, files, tasks: tasksOf[files][agents], floorTasks: floorTasksOf[files] },
    peerTasks: Math.max(agents, peerTasksOf[files]),
    countsInTime: files === 50_000,
  })),
);

/** The one configuration of the short form. */
export const shortSizes: readonly Size[] = [
  { agents: 2, files: 200, tasks: 6, floorTasks: 4, peerTasks: 2, countsInTime: true },
];

/** A long run, and how many landings at either end are compared. */
export const long = { agents: 32, files: 200, tasks: 2_000, window: 100 } as const;
export const shortLong = { agents: 4, files: 200, tasks: 24, window: 8 } as const;

/** What `--only` takes as the first part of a name. */
export const partNames: readonly string[] = [
  ...agentsOf.map((agents) => `agents-${agents}`),
  ...filesOf.map((files) => `files-${files}`),
  ...['peer', 'long'],
];

/** Who is measured. */
export type Contender = 'baton' | 'peer' | 'long';

/**
 * Whether `--only` asks for it: `agents-2`, `files-5000` and `agents-2/files-5000` name runs of Baton, `peer` before them those of the
 * peer's way, `long` the long run. Without `--only` all are measured.
 */
export function isWanted(
  only: readonly string[] | undefined,
  contender: Contender,
  { agents, files }: { agents: number; files: number },
): boolean {
  if (only === undefined) return true;
  const names = [`agents-${agents}`, `files-${files}`];
  return only.some((part) => {
    const [first = '', ...rest] = part.split('/');
    if (contender !== 'baton') return first === contender && rest.every((name) => names.includes(name));
    return [first, ...rest].every((name) => names.includes(name));
  });
}
