import { z } from 'zod';
import type { Store } from '../api/store.ts';
import { archiveFiles, readArchiveFile } from './archive-file.ts';
import { query, queryOne, type Db } from '../db/query.ts';
import { createLogger } from '../feed/feed.ts';
import { jsonText } from '../db/json-text.ts';
import { archivedHistories } from './archived-histories.ts';
import { archivedEnds, unfilledHoles, verifyArchived } from './archive.sql.ts';
import * as sql from './audit.sql.ts';
import type { AuditBreak } from '../model/event.ts';

const linesAtOnce = 2_000;

/** Checks log, events and rows against one another, and, where given, archive and heads with them. */
export const verifyAudit =
  (db: Db, storeId: string): Store['audit']['verify'] =>
  async ({ heads = [], archiveDir } = {}) => {
    await createLogger(db)();
    const figures = await queryOne(db, sql.auditFigures, []);
    if (figures === null) throw new TypeError('a statement without conditions gives one row');
    const broken: AuditBreak[] = [];
    for (const check of sql.auditChecks) broken.push(...(await query(db, check, [])));
    const lost = heads.length === 0 ? [] : await query(db, sql.compareHeads, [jsonText(heads)]);
    const archive =
      archiveDir === undefined
        ? { broken: [], events: 0 }
        : await checkArchive(db, { dir: archiveDir, storeId });
    return {
      ...figures,
      archiveChecked: archive.events,
      headsChecked: heads.length,
      broken: [...broken, ...lost, ...archive.broken],
    };
  };

/** What every line of a file has; records before version 3 have an event a line, later ones a change. */
const numbered = z.object({ id: z.number() });

/** Compares every archived change with its leaf, each history with itself and the database, and where its archived part ends. */
async function checkArchive(
  db: Db,
  { dir, storeId }: { dir: string; storeId: string },
): Promise<{ broken: AuditBreak[]; events: number }> {
  const histories = archivedHistories();
  const seen = new Set<number>();
  const broken: AuditBreak[] = [];
  let events = 0;
  const check = async (lines: string[]) => {
    for (const { what, ...event } of await query(db, verifyArchived, [lines])) {
      events += 1;
      if (what !== null) broken.push(faultAt(event, what));
      histories.add(event);
    }
  };
  for (const file of await archiveFiles(dir)) {
    let waiting: string[] = [];
    for await (const line of readArchiveFile(file, storeId)) {
      const { id } = numbered.parse(JSON.parse(line));
      // Written twice: the changes had not left the database when the archiver was killed.
      if (seen.has(id)) continue;
      seen.add(id);
      waiting.push(line);
      if (waiting.length < linesAtOnce) continue;
      await check(waiting);
      waiting = [];
    }
    if (waiting.length > 0) await check(waiting);
  }
  const { faults, holes } = histories.judge();
  const unfilled = holes.length === 0 ? [] : await query(db, unfilledHoles, [jsonText(holes)]);
  broken.push(...faults, ...unfilled.map((hole) => faultAt(hole, 'archived event: gap')));
  for (const said of await query(db, archivedEnds, [])) {
    const found = histories.endOf(said.machine, said.entityId);
    // A file that was written twice may hold more than has left by now.
    if (found !== null && found.seq >= said.seq && found.events >= said.events) continue;
    broken.push(
      faultAt(said, found === null ? 'the archive does not hold it' : 'the archive ends elsewhere'),
    );
  }
  return { broken, events };
}

const faultAt = ({ machine, entityId, seq }: Omit<AuditBreak, 'what'>, what: string): AuditBreak => ({
  machine,
  entityId,
  seq,
  what,
});
