import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { killTree, sweepMarked, sweepOrphans } from '../process/kill-tree.ts';
import { isOtherSpace, ownSpace } from '../process/lock-space.ts';
import { isAlive, processStart, type ProcessRef } from '../process/process-table.ts';

interface ProcessRecord extends ProcessRef {
  marker: string;
  supervisor: ProcessRef;
  /** Where these pids have their meaning; not there in records of older versions. */
  space?: string;
}

const folderOf = (stateDir: string) => path.join(stateDir, 'processes');

/** Records a process until it is dead, for {@link orphanSweep}. */
export function recordProcess(
  stateDir: string | null,
  target: ProcessRef & { marker: string },
): { forget(): void } {
  if (stateDir === null) return { forget: () => undefined };
  mkdirSync(folderOf(stateDir), { recursive: true, mode: 0o700 });
  const file = path.join(folderOf(stateDir), `${process.pid}-${target.pid}.json`);
  const supervisor = { pid: process.pid, pidStarted: processStart(process.pid) };
  const record: ProcessRecord = {
    pid: target.pid,
    pidStarted: target.pidStarted,
    marker: target.marker,
    supervisor,
    space: ownSpace(),
  };
  writeFileSync(file, JSON.stringify(record));
  return { forget: () => rmSync(file, { force: true }) };
}

/**
 * Ends what a dead Baton process left running: what is recorded in the state folder, and everything whose environment
 * names a supervisor that is dead. For the start of a worker. Source: docs/spec/agents.md#supervision.
 *
 * @returns How many were found, and what could not be ended.
 */
export async function orphanSweep({
  stateDir,
}: {
  stateDir: string;
}): Promise<{ found: number; left: ProcessRef[] }> {
  const stale = readRecords(stateDir)
    .filter(({ record }) => !isOtherSpace(record?.space))
    .filter(({ record }) => record === null || !isAlive(record.supervisor));
  let found = 0;
  const left: ProcessRef[] = [];
  for (const { file, record } of stale) {
    let remains: ProcessRef[] = [];
    if (record !== null && record.pidStarted !== null) {
      const isThere = isAlive(record);
      if (isThere) found += 1;
      // The number of a dead process may be that of a stranger's group by now; the marker is of that attempt alone.
      remains = isThere ? (await killTree(record, { graceMs: 0 })).left : await sweepMarked(record.marker);
      left.push(...remains);
    }
    if (remains.length === 0) rmSync(file, { force: true });
  }
  const rest = await sweepOrphans();
  return { found: found + rest.found, left: [...left, ...rest.left] };
}

/** Pids of the agents of a state folder that live, whether or not the process that started them does. */
export function livingAgents(stateDir: string): number[] {
  return readRecords(stateDir).flatMap(({ record }) =>
    record !== null && record.pidStarted !== null && isAlive(record) ? [record.pid] : [],
  );
}

function readRecords(stateDir: string): { file: string; record: ProcessRecord | null }[] {
  let names: string[];
  try {
    names = readdirSync(folderOf(stateDir));
  } catch {
    return [];
  }
  return names.map((name) => {
    const file = path.join(folderOf(stateDir), name);
    try {
      return { file, record: JSON.parse(readFileSync(file, 'utf8')) as ProcessRecord };
    } catch {
      return { file, record: null }; // half written when its writer was killed
    }
  });
}
