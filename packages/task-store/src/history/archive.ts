import type { Store } from '../api/store.ts';
import { archiveFiles, writeArchiveFile } from './archive-file.ts';
import { query, queryOne, type Db } from '../db/query.ts';
import * as sql from './archive.sql.ts';

/** Changes of one file: some megabytes. */
const changesOfAFile = 10_000;
const rowsAtOnce = 10_000;

/**
 * Moves changes of what is at rest into files, all but the newest of each entity. A file is on the disk before its changes leave; a
 * crash in between leaves them in both places, which is no contradiction. Source: docs/spec/store.md#archive.
 */
export const archive =
  (db: Db, storeId: string): Store['archive']['write'] =>
  async ({ dir, olderThanMs, dryRun = false }) => {
    const done = { entities: 0, events: 0, files: [] as string[] };
    for (;;) {
      const rows = await query(db, sql.archivableChanges, [olderThanMs, changesOfAFile]);
      if (rows.length === 0) break;
      if (dryRun) {
        const entities = rows.flatMap((row) => row.entities);
        done.entities += new Set(entities).size;
        done.events += entities.length;
        break;
      }
      const name = `${db.clock.now().toISOString().replaceAll(/[:.]/g, '-')}-${String((await archiveFiles(dir)).length + 1).padStart(6, '0')}`;
      const file = await writeArchiveFile(dir, { name, storeId, lines: rows.map(({ line }) => line) });
      const gone = (await queryOne(db, sql.archiveStatement, [rows.map(({ id }) => id)]))?.gone;
      done.files.push(file);
      done.entities += gone?.entities ?? 0;
      done.events += gone?.events ?? 0;
      if (rows.length < changesOfAFile || !gone?.entities) break;
    }
    return { ...done, slowestReader: await queryOne(db, sql.slowestReader, []) };
  };

/** Deletes what is not part of the record: streams of agents that ended, their checkpoints, answers of old commands. */
export const prune =
  (db: Db): Store['archive']['prune'] =>
  async ({ agentEventsMs, checkpointsMs, commandsMs }) => ({
    agentEvents: await pruneAll(db, sql.pruneAgentEvents, agentEventsMs),
    checkpoints: await pruneAll(db, sql.pruneCheckpoints, checkpointsMs),
    commands: await pruneAll(db, sql.pruneCommands, commandsMs),
  });

type Prune = typeof sql.pruneAgentEvents | typeof sql.pruneCheckpoints | typeof sql.pruneCommands;

/** Some rows at once, so that no transaction waits long for a lock. */
async function pruneAll(db: Db, statement: Prune, olderThanMs: number | undefined): Promise<number> {
  let gone = 0;
  if (olderThanMs === undefined) return gone;
  for (;;) {
    const now = (await queryOne(db, statement, [olderThanMs, rowsAtOnce]))?.gone ?? 0;
    gone += now;
    if (now < rowsAtOnce) return gone;
  }
}

export const archivedBefore =
  (db: Db): Store['archive']['before'] =>
  ({ machine, entityId }) =>
    queryOne(db, sql.archivedBeforeStatement, [machine, entityId]);
