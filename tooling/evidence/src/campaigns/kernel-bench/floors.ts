import { edges, taskMachine } from '@baton/fsm-core';
import type { Subject } from './subject.ts';
import type { Walk } from './walk.ts';

const moves = edges(taskMachine);

/** A literal object of objects, asked by two names: the least that a check of a move can be. */
export function nestedObject(): Subject {
  const table: Record<string, Record<string, string>> = {};
  for (const { from, event, to } of moves) (table[from] ??= {})[event] = to;
  return checking((from, event) => table[from]?.[event] !== undefined);
}

/** The same as maps. */
export function nestedMap(): Subject {
  const table = new Map<string, Map<string, string>>();
  for (const { from } of moves) table.set(from, new Map());
  for (const { from, event, to } of moves) table.get(from)?.set(event, to);
  return checking((from, event) => table.get(from)?.has(event) === true);
}

/** A subject that checks every move of the walk. There is one in a process, so the check is compiled into the loop. */
export function checking(isLegal: (from: string, event: string) => boolean): Subject {
  return {
    pass: ({ from, event }) => {
      let legal = 0;
      for (let at = 0; at < from.length; at += 1)
        if (isLegal(from[at] as string, event[at] as string)) legal += 1;
      return legal;
    },
    instance: null,
  };
}

/** One bit for each (from, to), states already numbered: what remains when even the names are gone. */
export function bitTable(): Subject {
  const numbers = new Map<string, number>(taskMachine.states.map((state, at) => [state, at]));
  const numberOf = (state: string) => numbers.get(state) ?? 0;
  const table = new Uint16Array(taskMachine.states.length);
  for (const { from, to } of moves) (table[numberOf(from)] as number) |= 1 << numberOf(to);
  const numbered = new Map<Walk, { from: Uint8Array; to: Uint8Array }>();
  const columnsOf = (walk: Walk) => {
    const columns = { from: Uint8Array.from(walk.from, numberOf), to: Uint8Array.from(walk.to, numberOf) };
    numbered.set(walk, columns);
    return columns;
  };
  return {
    pass: (walk) => {
      const { from, to } = numbered.get(walk) ?? columnsOf(walk);
      let legal = 0;
      for (let at = 0; at < from.length; at += 1)
        legal += ((table[from[at] as number] as number) >> (to[at] as number)) & 1;
      return legal;
    },
    instance: null,
  };
}
