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
  (db: Db, storeId: string): Store['verifyAudit'] =>
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

const place = z.object({ machine: z.string(), entity_id: z.string(), seq: z.number(), note: z.number() });
type End = Pick<z.output<typeof verifyArchived.row>, 'seq' | 'note'>;

/** Compares every archived event with its leaf and the one before it, in the order in which they left, and where each part ends. */
async function checkArchive(
  db: Db,
  { dir, storeId }: { dir: string; storeId: string },
): Promise<{ broken: AuditBreak[]; events: number }> {
  const ends = new Map<string, End>();
  const broken: AuditBreak[] = [];
  let events = 0;
  const check = async (lines: string[]) => {
    if (lines.length === 0) return;
    const entities = new Set(lines.map((line) => entityOf(place.parse(JSON.parse(line)))));
    const known = [...entities].flatMap((entity) => ends.get(entity) ?? []);
    for (const { what, ...end } of await query(db, verifyArchived, [lines, jsonText(known)])) {
      const { machine, entityId, seq } = end;
      events += 1;
      if (what !== null) broken.push({ machine, entityId, seq, what });
      ends.set(`${machine} ${entityId}`, end);
    }
  };
  for (const file of await archiveFiles(dir)) {
    let waiting: string[] = [];
    const before = new Map(ends);
    for await (const line of readArchiveFile(file, storeId)) {
      const event = place.parse(JSON.parse(line));
      const end = before.get(entityOf(event));
      // Written twice: the events had not left the database when the archiver was killed.
      if (end !== undefined && (event.seq < end.seq || (event.seq === end.seq && event.note <= end.note)))
        continue;
      waiting.push(line);
      if (waiting.length < linesAtOnce) continue;
      await check(waiting);
      waiting = [];
    }
    await check(waiting);
  }
  for (const said of await query(db, archivedEnds, [])) {
    const { machine, entityId, seq } = said;
    const found = ends.get(`${machine} ${entityId}`);
    const same = found !== undefined && found.seq === seq && found.note === said.note;
    // A file that was written twice may hold more than has left by now.
    const beyond = found !== undefined && (found.seq > seq || (found.seq === seq && found.note > said.note));
    if (!same && !beyond)
      broken.push({
        machine,
        entityId,
        seq,
        what: found === undefined ? 'the archive does not hold it' : 'the archive ends elsewhere',
      });
  }
  return { broken, events };
}

const entityOf = (event: { machine: string; entity_id: string }) => `${event.machine} ${event.entity_id}`;
