/** An event of an archive file, as far as its place in the history of its entity goes. */
export interface ArchivedEvent {
  machine: string;
  entityId: string;
  seq: number;
  /** 0: a move; else the number of a note on the state that this seq led to. */
  note: number;
  from: string | null;
  to: string;
}

/** Events of one entity that follow one another without a gap. */
interface Stretch {
  first: ArchivedEvent;
  last: ArchivedEvent;
}

/** Seqs that no file holds, between `after` and `seq`, both exclusive: what must be in the database. */
export interface Hole {
  machine: string;
  entityId: string;
  after: number;
  seq: number;
}

/** Something that is not as it was written. */
export interface Fault {
  machine: string;
  entityId: string;
  seq: number;
  what: string;
}

/**
 * Puts the histories of entities together from archive files. A change leaves when all that it moves is at rest, so that an older
 * one may be in a later file: what follows what is judged only when all files are read. Pure, but for what it gathers.
 */
export function archivedHistories() {
  const entities = new Map<string, { stretches: Stretch[]; events: number }>();
  return {
    add(event: ArchivedEvent): void {
      const key = `${event.machine} ${event.entityId}`;
      const known = entities.get(key) ?? { stretches: [], events: 0 };
      entities.set(key, known);
      known.events += 1;
      const open = known.stretches.at(-1);
      if (open !== undefined && follows(open.last, event) && event.from === open.last.to) open.last = event;
      else known.stretches.push({ first: event, last: event });
    },
    /** Where the history of an entity ends in the files, and how many events they have of it. */
    endOf(machine: string, entityId: string): { seq: number; events: number } | null {
      const known = entities.get(`${machine} ${entityId}`);
      if (known === undefined) return null;
      return { seq: Math.max(...known.stretches.map(({ last }) => last.seq)), events: known.events };
    },
    judge(): { faults: Fault[]; holes: Hole[] } {
      const faults: Fault[] = [];
      const holes: Hole[] = [];
      for (const { stretches } of entities.values()) {
        const inOrder = stretches.toSorted(
          (a, b) => a.first.seq - b.first.seq || a.first.note - b.first.note,
        );
        for (const [at, { first }] of inOrder.entries()) {
          const { machine, entityId, seq } = first;
          const before = inOrder[at - 1]?.last;
          const after = before?.seq ?? beginningOf(machine) - 1;
          const fault = (what: string) => void faults.push({ machine, entityId, seq, what });
          if (before === undefined ? seq === after + 1 && first.note === 0 : follows(before, first)) {
            if (before !== undefined && first.from !== before.to) fault('archived event: does not continue');
          } else if (seq > after + 1 && first.note === 0) holes.push({ machine, entityId, after, seq });
          else fault('archived event: gap');
        }
      }
      return { faults, holes };
    },
  };
}

const follows = (before: ArchivedEvent, { seq, note }: ArchivedEvent): boolean =>
  note === 0 ? seq === before.seq + 1 : seq === before.seq && note === before.note + 1;

/** Number of the first event: runs, tasks and agents are created, the others begin with their first move. */
const beginningOf = (machine: string): number => (['run', 'task', 'agent'].includes(machine) ? 0 : 1);
