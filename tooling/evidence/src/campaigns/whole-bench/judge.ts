import type { CellFigures } from './figures.ts';
import type { LongFigures } from './long.ts';

/** What a figure must be. */
export interface Aim {
  what: string;
  value: number;
  bound: { most: number } | { least: number };
}

/** Bounds of the claim. */
export const aims = {
  files: 5_000,
  ratio: 1.5,
  /** From so many agents on, where work waits and lands in trains. */
  trains: { agents: 8, ratio: 1.2 },
  gits: 6,
  statements: 45,
  /** Rate of the most agents, of that of the fewest on as many files. */
  crowdRate: 0.8,
  longRate: 0.9,
  longMemory: 1.25,
} as const;

/** What the whole form is held to: the figures of each configuration, of few and many agents beside one another, and of the long run. */
export function aimsOf(cells: readonly CellFigures[], long: LongFigures | null): Aim[] {
  const measured = cells.filter(({ ms }) => Number.isFinite(ms));
  return [
    ...measured.flatMap(aimsOfCell),
    ...aimsOfCrowds(measured),
    ...(long === null ? [] : aimsOfLong(long)),
  ];
}

const nameOf = ({ agents, files }: { agents: number; files: number }) => `${agents} agents, ${files} files`;

function aimsOfCell(cell: CellFigures): Aim[] {
  const most = cell.agents >= aims.trains.agents ? aims.trains.ratio : aims.ratio;
  const ratio = { what: `${nameOf(cell)}: time of the floor's`, value: cell.ratio, bound: { most } };
  return [
    ...(cell.files === aims.files ? [ratio] : []),
    { what: `${nameOf(cell)}: git processes a task`, value: cell.gits, bound: { most: aims.gits } },
    { what: `${nameOf(cell)}: statements a task`, value: cell.statements, bound: { most: aims.statements } },
  ];
}

function aimsOfCrowds(cells: readonly CellFigures[]): Aim[] {
  const bySize = [...Map.groupBy(cells, ({ files }) => files).values()];
  return bySize.flatMap((group) => {
    const [few, ...more] = group.toSorted((a, b) => a.agents - b.agents);
    const many = more.at(-1);
    if (few === undefined || many === undefined) return [];
    const what = `${nameOf(many)}: rate of that of ${few.agents} agents`;
    return [{ what, value: many.perSecond / few.perSecond, bound: { least: aims.crowdRate } }];
  });
}

function aimsOfLong({ tasks, window, first, last }: LongFigures): Aim[] {
  const what = `${tasks} tasks: the last ${window} of the first ${window}`;
  const memory = last.memoryMb / first.memoryMb;
  return [
    { what: `${what}, rate`, value: last.perSecond / first.perSecond, bound: { least: aims.longRate } },
    // Without /proc there is no memory to judge.
    ...(Number.isFinite(memory) || process.platform === 'linux'
      ? [{ what: `${what}, memory`, value: memory, bound: { most: aims.longMemory } }]
      : []),
  ];
}

/** What is wrong with a figure, as a sentence; null: nothing. */
export function faultOf({ what, value, bound }: Aim): string | null {
  if (!Number.isFinite(value)) return `${what} could not be measured.`;
  const isMet = 'most' in bound ? value <= bound.most : value >= bound.least;
  const aim = 'most' in bound ? `at most ${bound.most}` : `at least ${bound.least}`;
  return isMet ? null : `${what}: ${value.toFixed(2)}, the aim is ${aim}.`;
}

/** Figures that a configuration must have whatever its size: what each way of counting shows. */
export function missingOf(cell: CellFigures): string[] {
  const counted = ['ms', 'gits', 'statements', 'mostWaiting'] as const;
  const onLinux = process.platform === 'linux' ? (['cpuMs', 'floorCpuMs', 'memoryMb'] as const) : [];
  return [...counted, ...onLinux]
    .filter((name) => !(cell[name] > 0))
    .map((name) => `${nameOf(cell)}: ${name} could not be measured.`);
}
