import { describe, expect, it } from 'vitest';
import type { Cell } from '../src/campaigns/whole-bench/cell.ts';
import { cellFigures } from '../src/campaigns/whole-bench/figures.ts';
import { aimsOf, faultOf, missingOf } from '../src/campaigns/whole-bench/judge.ts';
import { longFigures } from '../src/campaigns/whole-bench/long.ts';
import {
  eachKind,
  landingRate,
  landings,
  mostMemory,
  mostWaiting,
} from '../src/campaigns/whole-bench/moments.ts';
import type { Pass } from '../src/campaigns/whole-bench/pass.ts';
import { isWanted, partNames, sizes } from '../src/campaigns/whole-bench/sizes.ts';
import { tableOf } from '../src/campaigns/whole-bench/table.ts';

const finished = (doneAt: number, leftAt: number | null, landed = leftAt !== null) => ({
  doneAt,
  leftAt,
  landed,
});

const pass = (order: Partial<Pass>): Pass => ({
  ...{ files: 5_000, tasks: 11, agents: 2, counts: true, durationMs: 2_200, cpuMs: 3_000 },
  ...{ gits: new Map(), statements: new Map(), finished: [], memory: [], problems: [] },
  ...order,
});

const size = { agents: 2, files: 5_000, tasks: 11, floorTasks: 2, peerTasks: 2, countsInTime: false };
const floors = { tasks: 2, gitMs: 190, processMs: 6, gateMs: 4, cpuMs: 100 };

describe('work that is done and has not landed', () => {
  it('is counted where most of it waits at once, that of a red train too', () => {
    expect(mostWaiting([finished(0, 10), finished(2, 20), finished(5, 9, false), finished(30, 31)])).toBe(3);
  });

  it('waits no longer from the moment in which it lands', () => {
    expect(mostWaiting([finished(0, 10), finished(10, 20), finished(20, null)])).toBe(1);
    expect(mostWaiting([])).toBe(0);
  });
});

describe('the rate of landings', () => {
  it('is of what landed after the first of them: a train lands at one moment', () => {
    const landed = landings([
      finished(0, 3_000),
      finished(0, 1_000),
      finished(0, 1_000),
      finished(0, 2_000, false),
    ]);
    expect(landed).toEqual([1_000, 1_000, 3_000]);
    expect(landingRate(landed, { from: 0, to: 2 })).toBe(0.5);
  });

  it('is not a number where there are too few or no time passed', () => {
    expect(landingRate([5, 5], { from: 0, to: 1 })).toBeNaN();
    expect(landingRate([5], { from: 0, to: 3 })).toBeNaN();
    expect(landingRate([], { from: 0, to: -1 })).toBeNaN();
  });
});

it('memory is the greatest between two moments, without what could not be read', () => {
  const samples = [
    { at: 1, bytes: 900 },
    { at: 5, bytes: 100 },
    { at: 6, bytes: Number.NaN },
    { at: 9, bytes: 300 },
  ];
  expect(mostMemory(samples, { from: 5, to: 9 })).toBe(300);
  expect(mostMemory(samples, { from: 6, to: 8 })).toBeNaN();
});

it('a kind costs a task what many tasks need more than one does', () => {
  const all = new Map([
    ['clone', 1],
    ['commit-tree', 12],
    ['fetch', 31],
  ]);
  const one = new Map([
    ['clone', 1],
    ['commit-tree', 2],
    ['fetch', 1],
  ]);
  expect(eachKind(11, all, one)).toEqual([
    ['fetch', 3],
    ['commit-tree', 1],
  ]);
});

describe('the figures of a configuration', () => {
  const timed = pass({
    finished: [1, 2, 3, 5, 9].map((second) => finished(second * 1_000 - 500, second * 1_000)),
    memory: [
      { at: 1, bytes: 150e6 },
      { at: 2, bytes: Number.NaN },
    ],
  });
  const counted = pass({ gits: new Map([['fetch', 60]]), statements: new Map([['BEGIN', 410]]) });
  const single = pass({
    tasks: 1,
    cpuMs: 1_000,
    gits: new Map([['fetch', 10]]),
    statements: new Map([['BEGIN', 10]]),
  });
  const cell: Cell = {
    size,
    floors,
    baton: { timed, counted, single },
    peer: { tasks: 2, wallMs: 800, cpuMs: 900 },
  };

  it('are a task of a run, of the floor and of the peer', () => {
    expect(cellFigures(cell)).toEqual({
      ...{ agents: 2, files: 5_000, tasks: 11, ms: 200, floorMs: 100, ratio: 2 },
      ...{
        cpuMs: 200,
        floorCpuMs: 50,
        gits: 5,
        statements: 40,
        countedMs: 200,
        mostWaiting: 1,
        memoryMb: 150,
      },
      // Each agent had its first task by the second landing.
      perSecond: 3 / 7,
      ...{ peerMs: 400, peerCpuMs: 450, peerRatio: 4, ofPeer: 0.5 },
      ...{ gitKinds: { fetch: 5 }, statementKinds: { BEGIN: 40 } },
    });
    expect(missingOf(cellFigures(cell))).toEqual([]);
  });

  it('leave out what was not measured', () => {
    const { rows, columns } = tableOf([cellFigures({ ...cell, baton: null })], null);
    expect(rows[0]?.filter((text) => text === '–')).toHaveLength(9);
    expect(rows[0]).toHaveLength(columns.length);
  });

  it('lack what no counter counted', () => {
    const blind = { timed: pass({}), counted: pass({}), single: pass({ tasks: 1 }) };
    const missing = missingOf(cellFigures({ ...cell, baton: blind }));
    expect(missing).toContain('2 agents, 5000 files: gits could not be measured.');
    expect(missing).toContain('2 agents, 5000 files: statements could not be measured.');
    expect(missing).toContain('2 agents, 5000 files: mostWaiting could not be measured.');
  });
});

describe('the ends of a long run', () => {
  const times = [0, 0, 2, 3, 4, 5, 8, 12].map((second) => second * 1_000);
  const run = pass({
    ...{ agents: 3, files: 200, tasks: 8, durationMs: 12_000 },
    finished: times.map((at) => finished(at - 100, at)),
    memory: times.map((at) => ({ at, bytes: 100e6 + at * 5_000 })),
  });

  it('are compared by rate and memory, the first from when each agent had a task', () => {
    const figures = longFigures(run, { window: 3 });
    expect(figures).toMatchObject({
      first: { perSecond: 1, memoryMb: 125 },
      last: { perSecond: 0.375, memoryMb: 160 },
    });
    expect(aimsOf([], figures).map(faultOf)).toEqual([
      '8 tasks: the last 3 of the first 3, rate: 0.38, the aim is at least 0.9.',
      '8 tasks: the last 3 of the first 3, memory: 1.28, the aim is at most 1.25.',
    ]);
    expect(tableOf([], figures).rows.map((row) => row.length)).toEqual([15, 15]);
  });

  it('cannot be judged where too little landed', () => {
    const few = longFigures({ ...run, finished: run.finished.slice(0, 2) }, { window: 3 });
    expect(aimsOf([], few).map(faultOf)[0]).toMatch('could not be measured');
  });
});

describe('the aims', () => {
  const single = pass({ tasks: 1 });
  const figuresOf = (agents: number, change: { files?: number; seconds?: number; ms?: number } = {}) => {
    const { files = 5_000, seconds = 1, ms = 100 } = change;
    const landed = Array.from({ length: 11 + agents }, (_, at) => finished(0, at * seconds * 1_000));
    const timed = pass({ agents, files, finished: landed, durationMs: ms * 11 });
    const counted = pass({ gits: new Map([['x', 60]]), statements: new Map([['y', 450]]) });
    return cellFigures({
      size: { ...size, agents, files },
      floors,
      baton: { timed, counted, single },
      peer: null,
    });
  };
  const faults = (...cells: ReturnType<typeof figuresOf>[]) =>
    aimsOf(cells, null)
      .map(faultOf)
      .filter((fault) => fault !== null);

  it('hold a few agents to one bound of time and trains to a lower one, at 5,000 files alone', () => {
    expect(faults(figuresOf(2, { ms: 150 }), figuresOf(8, { ms: 120 }))).toEqual([]);
    expect(faults(figuresOf(2, { ms: 151 }))).toEqual([
      "2 agents, 5000 files: time of the floor's: 1.51, the aim is at most 1.5.",
    ]);
    expect(faults(figuresOf(8, { ms: 121 }))).toEqual([
      "8 agents, 5000 files: time of the floor's: 1.21, the aim is at most 1.2.",
    ]);
    expect(faults(figuresOf(2, { ms: 900, files: 200 }))).toEqual([]);
  });

  it('hold git processes and statements to a bound everywhere', () => {
    const figures = { ...figuresOf(2, { files: 200 }), gits: 6.1, statements: 45.1 };
    expect(faults(figures)).toHaveLength(2);
    expect(faults({ ...figures, gits: Number.NaN, statements: 45 })).toEqual([
      '2 agents, 200 files: git processes a task could not be measured.',
    ]);
  });

  it('compare the most agents with the fewest on as many files', () => {
    const few = [figuresOf(2, { files: 200, seconds: 0.1 }), figuresOf(2), figuresOf(8, { seconds: 9 })];
    const crowd = (seconds: number) => faults(...few, figuresOf(32, { seconds }));
    expect(crowd(1.25)).toEqual([]);
    expect(crowd(1.26)).toEqual([
      '32 agents, 5000 files: rate of that of 2 agents: 0.79, the aim is at least 0.8.',
    ]);
  });

  it('say nothing of a configuration of which the peer alone was measured', () => {
    expect(aimsOf([cellFigures({ size, floors, baton: null, peer: null })], null)).toEqual([]);
  });
});

describe('--only', () => {
  const wanted = (only: string[] | undefined) => [
    ...sizes.filter((each) => isWanted(only, 'baton', each)).map(({ agents, files }) => `${agents}/${files}`),
    ...sizes
      .filter((each) => isWanted(only, 'peer', each))
      .map(({ agents, files }) => `peer ${agents}/${files}`),
  ];

  it('names runs of Baton by agents and files, and those of the peer apart', () => {
    expect(wanted(['agents-2/files-5000'])).toEqual(['2/5000']);
    expect(wanted(['files-200'])).toEqual(['2/200', '8/200', '32/200']);
    expect(wanted(['peer/agents-8/files-200', 'agents-32/files-200'])).toEqual(['32/200', 'peer 8/200']);
    expect(wanted(['long'])).toEqual([]);
    expect(wanted(['agents-2/files-7'])).toEqual([]);
    expect(wanted(undefined)).toHaveLength(18);
  });

  it('knows each part by name', () => {
    expect(partNames).toEqual([
      'agents-2',
      'agents-8',
      'agents-32',
      'files-200',
      'files-5000',
      'files-50000',
      'peer',
      'long',
    ]);
  });
});
