import { machines, replay as fold, type MachineDefinition, type TransitionRecord } from '@baton/fsm-core';
import type { Store } from '../api/store.ts';
import { query, queryOne, type Db } from '../db/query.ts';
import { archivedBeforeStatement } from './archive.sql.ts';
import { historyStatement } from '../feed/feed.sql.ts';

/** Folds a stored history by the kernel, from where its archived part ends. */
export const replay =
  (db: Db): Store['archive']['replay'] =>
  async ({ machine, entityId }) => {
    const definition: MachineDefinition<string> = machines[machine];
    const archived = await queryOne(db, archivedBeforeStatement, [machine, entityId]);
    const history = await query(db, historyStatement, [entityId, machine]);
    // A change that is kept for another machine's sake may be older than the end of the archived part.
    const events = history.filter(({ seq }) => archived === null || seq > archived.seq);
    const moves = events.filter(({ kind }) => kind === 'move' || kind === 'override');
    const [created] = events.filter(({ kind }) => kind === 'created');
    const start = archived ?? (created && { state: created.to, seq: created.seq });
    if (moves.length === 0)
      return start === undefined ? null : { ok: true, state: start.state, seq: start.seq, refused: 0 };
    const records = moves.map((move) => ({ ...move, entityType: machine }) as unknown as TransitionRecord);
    return start === undefined ? fold(definition, records) : fold(definition, records, start);
  };
