import { expect, it } from 'vitest';
import { changeValues } from './change-values.ts';

it('gives rows in the order of their ids, so that two changes of the same rows never lock them crosswise', () => {
  const ids = ['c', 'a', 'b'];
  const values = changeValues({
    sessions: ids.map((id) => ({ id: `session-${id}`, statusSeq: 1, executionSeq: 1, patch: {} })),
    tasks: ids.map((id, at) => ({ id: `task-${id}`, version: at, patch: {} })),
    attempts: ids.map((id, at) => ({ id: `turn-${id}`, fence: at, turnSeq: 1, patch: {} })),
  });
  for (const kind of ['session', 'task', 'turn'])
    expect(values).toContainEqual([`${kind}-a`, `${kind}-b`, `${kind}-c`]);
  // What belongs to a row moves with it.
  expect(values).toContainEqual([1, 2, 0]);
});
