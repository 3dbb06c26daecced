import type { Cell } from './cell.ts';
import { floorMs } from './floors.ts';
import { eachKind, eachOf, landingRate, landings, mostWaiting, sum } from './moments.ts';
import type { Pass } from './pass.ts';

/** What a configuration showed, a task unless it says otherwise; not a number: not measured. */
export interface CellFigures {
  agents: number;
  files: number;
  tasks: number;
  ms: number;
  floorMs: number;
  /** Of `ms` and `floorMs`. */
  ratio: number;
  /** Without what a run needs once. */
  cpuMs: number;
  floorCpuMs: number;
  gits: number;
  statements: number;
  /** Of the run in which both were counted: what a worker asks every second is more a task where a task takes longer. */
  countedMs: number;
  /** Tasks in all that were finished and had not landed at one moment. */
  mostWaiting: number;
  /** Tasks a second once each agent had its first task. */
  perSecond: number;
  /** Greatest memory of the command in MB. */
  memoryMb: number;
  peerMs: number;
  peerCpuMs: number;
  /** The peer's `peerMs` of the floor, and Baton's `ms` of the peer's. */
  peerRatio: number;
  ofPeer: number;
  gitKinds: Readonly<Record<string, number>>;
  statementKinds: Readonly<Record<string, number>>;
}

const none = Number.NaN;

/** Works out the figures of a configuration. */
export function cellFigures({ size, floors, baton, peer }: Cell): CellFigures {
  const { agents, files, tasks } = size;
  const ms = baton === null ? none : baton.timed.durationMs / tasks;
  const peerMs = peer === null ? none : peer.wallMs / peer.tasks;
  const floor = floorMs(floors);
  return {
    ...{ agents, files, tasks, ms, floorMs: floor, ratio: ms / floor },
    floorCpuMs: floors.cpuMs / floors.tasks,
    ...(baton === null ? nothing : batonFigures(baton, { agents, tasks })),
    ...{ peerMs, peerCpuMs: peer === null ? none : peer.cpuMs / peer.tasks },
    ...{ peerRatio: peerMs / floor, ofPeer: ms / peerMs },
  };
}

const nothing = {
  ...{ cpuMs: none, gits: none, statements: none, countedMs: none },
  ...{ mostWaiting: none, perSecond: none, memoryMb: none, gitKinds: {}, statementKinds: {} },
};

function batonFigures(
  { timed, counted, single }: { timed: Pass; counted: Pass; single: Pass },
  { agents, tasks }: { agents: number; tasks: number },
): typeof nothing {
  const landed = landings(timed.finished);
  const kinds = (of: 'gits' | 'statements') =>
    Object.fromEntries(eachKind(tasks, counted[of], single[of]).map(([kind, each]) => [kind, rounded(each)]));
  const each = (of: 'gits' | 'statements') => eachOf(tasks, sum(counted[of]), sum(single[of]));
  const bytes = timed.memory.map((sample) => sample.bytes).filter((value) => Number.isFinite(value));
  return {
    ...{
      cpuMs: eachOf(tasks, timed.cpuMs, single.cpuMs),
      gits: each('gits'),
      statements: each('statements'),
    },
    countedMs: counted.durationMs / tasks,
    mostWaiting: mostWaiting(timed.finished),
    perSecond: landingRate(landed, { from: agents - 1, to: landed.length - 1 }),
    memoryMb: bytes.length === 0 ? none : Math.max(...bytes) / 1e6,
    ...{ gitKinds: kinds('gits'), statementKinds: kinds('statements') },
  };
}

/** To two places. */
export const rounded = (value: number): number => Math.round(value * 100) / 100;
