import type { Table } from '../../campaign.ts';
import type { CellFigures } from './figures.ts';
import { aims } from './judge.ts';
import type { LongFigures } from './long.ts';

const columns = [
  ...['what', 'ms a task', 'floor', 'ratio', 'CPU ms', "floor's CPU ms"],
  ...[`git processes (≤ ${aims.gits})`, `statements (≤ ${aims.statements})`, 'most waiting', 'tasks/s', 'MB'],
  ...["peer's ms", "peer's CPU ms", 'of the floor', 'of the peer'],
] as const;

/** A line for each configuration, and one for either end of the long run. */
export function tableOf(cells: readonly CellFigures[], long: LongFigures | null): Table {
  return { columns, rows: [...cells.map(rowOf), ...(long === null ? [] : rowsOfLong(long))] };
}

const text = (value: number, digits: number): string =>
  Number.isFinite(value) ? value.toFixed(digits) : '–';

function rowOf(cell: CellFigures): string[] {
  return [
    `${cell.agents} agents, ${cell.files} files`,
    ...[text(cell.ms, 1), text(cell.floorMs, 1), text(cell.ratio, 2)],
    ...[text(cell.cpuMs, 0), text(cell.floorCpuMs, 0)],
    ...[text(cell.gits, 1), text(cell.statements, 1), text(cell.mostWaiting, 0)],
    ...[text(cell.perSecond, 2), text(cell.memoryMb, 0)],
    ...[text(cell.peerMs, 1), text(cell.peerCpuMs, 0), text(cell.peerRatio, 2), text(cell.ofPeer, 2)],
  ];
}

function rowsOfLong({ tasks, agents, window, first, last, ms, mostWaiting }: LongFigures): string[][] {
  return [
    { which: 'first', ...first },
    { which: 'last', ...last },
  ].map(({ which, perSecond, memoryMb }) => [
    `${agents} agents, ${tasks} tasks: the ${which} ${window}`,
    ...[text(ms, 1), '–', '–', '–', '–', '–', '–', text(mostWaiting, 0)],
    ...[text(perSecond, 2), text(memoryMb, 0), '–', '–', '–', '–'],
  ]);
}
