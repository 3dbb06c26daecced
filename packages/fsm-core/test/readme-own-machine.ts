import { decide, defineMachine, transition, validate } from '@baton/fsm-core';

const door = defineMachine({
  id: 'door',
  states: ['closed', 'open', 'locked'],
  rules: [
    { from: 'closed', on: 'open', to: 'open' },
    { from: 'open', on: 'close', to: 'closed' },
    { from: 'closed', on: 'lock', to: 'locked', guard: ({ hasKey }: { hasKey: boolean }) => hasKey },
    { from: 'locked', on: 'unlock', to: 'closed' },
  ],
  emptyContext: { hasKey: false },
});

console.log(transition(door, 'closed', 'open')); // open
// @ts-expect-error an open door has no lock: this line does not compile
const unlockable = () => transition(door, 'open', 'lock');

const closed = { entityId: 'front', state: 'closed', seq: 0, context: { hasKey: false } } as const;
const by = { id: 'ev-1', actor: 'me', reason: 'night', at: 1000 };
console.log(decide(door, closed, { ...by, type: 'lock' })); // { ok: false, code: 'guard' }
console.log(validate({ ...door, initial: ['ajar'] })[0]); // initial names unknown state ajar

try {
  unlockable();
} catch (error) {
  console.log(String(error)); // InvalidTransitionError: door in open cannot take event lock (illegal). Legal here: close → closed.
}
