import { z } from 'zod';
import type { Store } from './api.ts';
import { archiveFiles, readArchiveFile } from './archive-file.ts';
import { query, queryOne, type Db } from './db.ts';
import { createLogger } from './feed.ts';
import { jsonText } from './json-text.ts';
import { archivedEnds, verifyArchived } from './sql/archive.ts';
import * as sql from './sql/audit.ts';
import type { AuditBreak } from './types.ts';

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
type End = z.output<typeof verifyArchived.row> & { events: number };

/** Compares every archived change with its leaf, each event with the one before it, and where the archived part of each entity ends. */
async function checkArchive(
  db: Db,
  { dir, storeId }: { dir: string; storeId: string },
): Promise<{ broken: AuditBreak[]; events: number }> {
  const ends = new Map<string, End>();
  const seen = new Set<number>();
  const broken: AuditBreak[] = [];
  let events = 0;
  const check = async (lines: string[]) => {
    for (const event of await query(db, verifyArchived, [lines, jsonText([...ends.values()])])) {
      const { machine, entityId, seq, what } = event;
      const entity = `${machine} ${entityId}`;
      events += 1;
      if (what !== null) broken.push({ machine, entityId, seq, what });
      ends.set(entity, { ...event, events: (ends.get(entity)?.events ?? 0) + 1 });
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
  for (const said of await query(db, archivedEnds, [])) {
    const { machine, entityId, seq } = said;
    const found = ends.get(`${machine} ${entityId}`);
    // A file that was written twice may hold more than has left by now.
    if (found !== undefined && found.seq >= seq && found.events >= said.events) continue;
    const what = found === undefined ? 'the archive does not hold it' : 'the archive ends elsewhere';
    broken.push({ machine, entityId, seq, what });
  }
  return { broken, events };
}
