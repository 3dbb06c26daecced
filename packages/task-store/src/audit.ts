import { z } from 'zod';
import type { Store } from './api.ts';
import { archiveFiles, readArchiveFile } from './archive-file.ts';
import { query, queryOne, type Db } from './db.ts';
import { jsonText } from './json-text.ts';
import { archivedEnds, verifyArchived } from './sql/archive.ts';
import * as sql from './sql/audit.ts';
import type { AuditBreak, AuditHead } from './types.ts';

const linesAtOnce = 2_000;

/** Recomputes the chains, compares each row with the end of its history, and, where given, archive and heads with both. */
export const verifyAudit =
  (db: Db, storeId: string): Store['verifyAudit'] =>
  async ({ heads, archiveDir } = {}) => {
    const row = await queryOne(db, sql.verifyAuditStatement, []);
    const broken: AuditBreak[] = [...(row?.broken ?? []), ...(await query(db, sql.compareRows, []))];
    const wanted = heads === undefined ? [] : await query(db, sql.compareHeads, [headsText(heads)]);
    const inArchive = new Map(
      wanted.filter(({ what }) => what === 'archived').map((head) => [keyOf(head), head]),
    );
    for (const { note: _, hash: __, ...lost } of wanted) if (lost.what !== 'archived') broken.push(lost);
    let archiveChecked = 0;
    if (archiveDir !== undefined) {
      const checked = await checkArchive(db, { dir: archiveDir, storeId, sought: inArchive });
      broken.push(...checked.broken);
      archiveChecked = checked.events;
    }
    return {
      events: row?.events ?? 0,
      entities: row?.entities ?? 0,
      archived: row?.archived ?? 0,
      archiveChecked,
      headsChecked: (heads?.length ?? 0) - (archiveDir === undefined ? inArchive.size : 0),
      broken,
    };
  };

/** The newest event of each entity, a page at a time: whoever keeps them elsewhere can tell later what was cut off. */
export const auditHeads =
  (db: Db): Store['auditHeads'] =>
  ({ after, limit }) =>
    query(db, sql.auditHeadsStatement, [after?.machine ?? null, after?.entityId ?? null, limit]);

const headsText = (heads: readonly AuditHead[]) =>
  jsonText(heads.map(({ entityId, ...head }) => ({ ...head, entity_id: entityId })));

const place = z.object({ machine: z.string(), entity_id: z.string(), seq: z.number(), note: z.number() });
type End = z.output<typeof archivedEnds.row>;
const keyOf = ({
  machine,
  entityId,
  seq,
  note,
}: {
  machine: string;
  entityId: string;
  seq: number;
  note: number;
}) => `${machine} ${entityId} ${seq} ${note}`;

/** Chains every archived event, in the order in which they left, and compares where each entity's part ends. */
async function checkArchive(
  db: Db,
  { dir, storeId, sought }: { dir: string; storeId: string; sought: Map<string, { hash: string }> },
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
      if (sought.get(keyOf(end))?.hash === end.hash) sought.delete(keyOf(end));
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
    const same =
      found !== undefined && found.hash === said.hash && found.seq === seq && found.note === said.note;
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
  for (const key of sought.keys()) {
    const [machine = '', entityId = '', seq = '0'] = key.split(' ');
    broken.push({ machine, entityId, seq: Number(seq), what: 'the archive does not hold this head' });
  }
  return { broken, events };
}

const entityOf = (event: { machine: string; entity_id: string }) => `${event.machine} ${event.entity_id}`;
