import { decide, moveTo, replay, taskMachine, transition } from '@baton/fsm-core';

// On bare states: illegal literals do not compile, plain strings are checked at run time.
console.log(transition(taskMachine, 'OPEN', 'claim')); // CLAIMED

// On a snapshot: a decision is a value. Nothing is thrown, nothing is changed.
const open = { entityId: 'task-1', state: 'OPEN', seq: 0, context: null } as const;
const claimed = decide(taskMachine, open, {
  id: 'ev-1',
  type: 'claim',
  actor: 'worker-1',
  reason: 'next in rank',
  at: 1000,
});
if (!claimed.ok) throw new Error(claimed.code);

// By target, with compare-and-set on the seq that the caller has seen.
const input = { id: 'ev-2', actor: 'worker-1', reason: 'prompt sent', at: 2000 };
const started = moveTo(taskMachine, claimed.snapshot, 'IN_PROGRESS', { ...input, expectSeq: 1 });
const late = moveTo(taskMachine, claimed.snapshot, 'IN_PROGRESS', { ...input, expectSeq: 0 });
if (!started.ok) throw new Error(started.code);
console.log(started.record.event, late); // start { ok: false, code: 'stale' }

// A history replays to the state it led to, or to the list of what is wrong with it.
console.log(replay(taskMachine, [claimed.record, started.record])); // { ok: true, state: 'IN_PROGRESS', seq: 2, refused: 0 }
