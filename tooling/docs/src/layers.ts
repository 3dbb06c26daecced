/** Where a package or app stands. Imports point to lower levels only. Source: docs/architecture.md, "Packages". */
export const layers = [
  { level: 0, title: 'kernel', packages: ['fsm-core'] },
  { level: 1, title: 'agreements and foundations', packages: ['contracts', 'embedded-postgres', 'testkit'] },
  {
    level: 2,
    title: 'libraries, each useful alone',
    packages: ['task-store', 'spawner', 'janitor', 'router-cost', 'triggers', 'plugins', 'service'],
  },
  { level: 3, title: 'processes', packages: ['server', 'worker'] },
  { level: 4, title: 'applications', packages: ['cli', 'client', 'dashboard'] },
] as const;

/** Imports between packages of one level: everything else sideways is refused. */
export const sideways: readonly (readonly [from: string, to: string])[] = [
  ['embedded-postgres', 'contracts'],
  ['testkit', 'contracts'],
  ['testkit', 'embedded-postgres'],
];

/**
 * Folders of `src` by level, the lowest first, in packages whose `src` has layers of its own. A folder imports lower ones only; the
 * files beside them compose all folders and are imported by none, but for `env.ts`. Source: docs/architecture.md#layers.
 */
export const insideLayers: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'task-store': [
    ['model'],
    ['api', 'decide'],
    ['db'],
    ['agents', 'feed', 'keys', 'read'],
    ['apply', 'claims', 'history'],
    ['landing', 'runs', 'tasks', 'transfer', 'trust', 'upkeep'],
    ['explain', 'inbox'],
  ],
  spawner: [
    ['process'],
    ['agent', 'git'],
    ['supervise', 'tree'],
    ['in-process', 'salvage'],
    ['adapters', 'workspace'],
    ['keep', 'open', 'verification'],
  ],
  worker: [
    ['process'],
    ['context'],
    ['abort', 'verify'],
    ['review'],
    ['open'],
    ['task'],
    ['landing', 'loop'],
    ['upkeep'],
  ],
  server: [['access', 'events', 'tasks'], ['triggers'], ['api'], ['routers'], ['http']],
  cli: [
    ['demo', 'terminal'],
    ['plan', 'project'],
    ['look', 'record'],
    ['run'],
    ['doctor', 'pull-request', 'up'],
    ['commands'],
  ],
};

/** The level of a package, or undefined for a package the list does not know. */
export function levelOf(member: string): number | undefined {
  return layers.find((layer) => (layer.packages as readonly string[]).includes(member))?.level;
}

/** Whether production code of `from` may import `to`. Only tests may import the testkit. */
export function mayImport(from: string, to: string): boolean {
  const upper = levelOf(from);
  const lower = levelOf(to);
  if (upper === undefined || lower === undefined || to === 'testkit') return false;
  return lower < upper || sideways.some(([a, b]) => a === from && b === to);
}
