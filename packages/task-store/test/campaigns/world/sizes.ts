import type { Size, TaskPlan } from './rows.ts';

const none = { crashes: 0, duplicates: 0, delays: 0, all: 0 };

/** Tasks apart from one another, lowest rank first. */
export function apartTasks(count: number, plan: Partial<TaskPlan> = {}): TaskPlan[] {
  return Array.from({ length: count }, (_, n) => ({
    id: `t${n + 1}`,
    files: [],
    waitsFor: [],
    maxRetries: 0,
    may: [],
    ...plan,
  }));
}

/** Two tasks on one file, the second waiting for the first: they go as one batch. */
function batchOfTwo(first: Partial<TaskPlan>, second: Partial<TaskPlan>): TaskPlan[] {
  const [a, b] = apartTasks(2, { files: ['src/a.ts'] });
  return [
    ...(a === undefined ? [] : [{ ...a, ...first }]),
    ...(b === undefined ? [] : [{ ...b, waitsFor: ['t1'], ...second }]),
  ];
}

const everything: TaskPlan['may'] = [
  ...(['tools', 'parallel_tools', 'compact', 'fail', 'spawn_fail', 'block', 'reject', 'conflict'] as const),
  ...(['early_done', 'rest'] as const),
];
const plain: TaskPlan = { id: '', files: [], waitsFor: [], maxRetries: 0, may: [] };

const bare = {
  batchSize: 3,
  maxAgents: 1,
  collapsed: false,
  absorbs: true,
  sweeperClock: false,
  trains: false,
  keepsHistory: false,
  cancels: 0,
};

/** The first question: claim, lease, record and land with all four machines. */
export const sizeA: Size = {
  ...bare,
  name: 'a: claim–lease–record–land, 2 × 2',
  workers: 2,
  tasks: batchOfTwo(
    { maxRetries: 1, may: ['tools', 'compact', 'fail', 'reject'] },
    { maxRetries: 0, may: ['fail', 'reject'] },
  ),
  faults: { crashes: 2, duplicates: 2, delays: 2, all: 2 },
};

/** The second question: claim, lease and fence alone, turns collapsed. */
export const sizeB: Size = {
  ...bare,
  name: 'b: claim–lease–fence, 3 × 3',
  workers: 3,
  tasks: apartTasks(3),
  batchSize: 1,
  maxAgents: null,
  collapsed: true,
  absorbs: true,
  sweeperClock: true,
  faults: { crashes: 1, duplicates: 1, delays: 1, all: 3 },
};

/** The smallest of all: here copies of reports arrive at any time, however late. */
export const sizeSmall: Size = {
  ...bare,
  name: 'small: 1 × 1',
  workers: 1,
  absorbs: false,
  tasks: apartTasks(1, {
    files: ['a'],
    maxRetries: 1,
    may: ['tools', 'parallel_tools', 'compact', 'fail', 'reject', 'empty'],
  }),
  faults: { ...none, crashes: 1, delays: 1, duplicates: 1, all: 1 },
};

/** What the two big sizes leave out, each small enough to be explored in seconds. */
export const cornerSizes: readonly Size[] = [
  {
    ...sizeSmall,
    name: 'corner: approval, cancel, block',
    absorbs: true,
    tasks: apartTasks(1, { approval: true, may: ['block', 'compact', 'early_done'] }),
    cancels: 1,
  },
  {
    ...sizeSmall,
    name: 'corner: conflicts and spawn errors',
    absorbs: true,
    tasks: apartTasks(1, {
      maxRetries: 1,
      conflicts: 4,
      setbacks: 1,
      may: ['spawn_fail', 'conflict', 'fail'],
    }),
  },
  {
    ...sizeSmall,
    name: 'corner: a slow sweeper, a worker that comes back',
    absorbs: true,
    tasks: apartTasks(1),
    faults: { ...none, delays: 2, all: 2 },
  },
  {
    ...sizeA,
    name: 'corner: a batch, cancelled',
    tasks: batchOfTwo({ may: ['rest', 'early_done', 'reject'] }, { may: ['early_done', 'conflict'] }),
    faults: { ...none, crashes: 1, all: 1 },
    cancels: 1,
  },
  {
    ...bare,
    name: 'corner: a train of two, cancelled',
    workers: 2,
    tasks: apartTasks(2),
    batchSize: 1,
    maxAgents: null,
    trains: true,
    faults: { ...none, crashes: 1, all: 1 },
    cancels: 1,
  },
];

/** Too big for an exploration: walked at random. */
export const walkSizes: readonly Size[] = [
  {
    ...sizeA,
    name: 'walks: 3 × 5, chains of dependent tasks',
    workers: 3,
    tasks: [
      ...batchOfTwo({ maxRetries: 2, may: everything }, { maxRetries: 1, may: everything }),
      { ...plain, id: 't3', waitsFor: ['t2'], maxRetries: 1, may: everything },
      { ...plain, id: 't4', approval: true, may: everything },
      { ...plain, id: 't5', waitsFor: ['t3', 't4'], files: ['src/a.ts'], may: everything },
    ],
    maxAgents: 2,
    absorbs: false,
    sweeperClock: true,
    trains: true,
    keepsHistory: true,
    faults: { crashes: 4, duplicates: 4, delays: 4, all: 12 },
    cancels: 1,
  },
  {
    ...sizeB,
    name: 'walks: claim–lease–fence, 6 × 8',
    workers: 6,
    tasks: apartTasks(8, { maxRetries: 1 }),
    absorbs: false,
    keepsHistory: true,
    faults: { crashes: 4, duplicates: 6, delays: 6, all: 16 },
  },
];
