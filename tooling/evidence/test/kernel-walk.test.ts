import { taskMachine, transition } from '@baton/fsm-core';
import { describe, expect, it } from 'vitest';
import { judge } from '../src/campaigns/kernel-bench/judge.ts';
import type { Measured } from '../src/campaigns/kernel-bench/rounds.ts';
import { ring } from '../src/campaigns/kernel-bench/subject.ts';
import { type SubjectName, subjects } from '../src/campaigns/kernel-bench/subjects.ts';
import { closedWalk } from '../src/campaigns/kernel-bench/walk.ts';

const walk = closedWalk(256, 1);

describe('the walk of the kernel benchmark', () => {
  it('is legal, closed, and never enters a terminal state', () => {
    let state = 'OPEN';
    for (const [at, event] of walk.event.entries()) {
      expect(walk.from[at]).toBe(state);
      state = transition(taskMachine, state, event);
      expect(walk.to[at]).toBe(state);
      expect(taskMachine.terminal).not.toContain(state);
    }
    expect(walk.event).toHaveLength(256);
    expect(state).toBe('OPEN');
  });

  it('is chosen by the seed', () => {
    expect(closedWalk(256, 1)).toEqual(walk);
    expect(closedWalk(256, 2)).not.toEqual(walk);
  });

  it.each(Object.keys(subjects) as SubjectName[])('%s takes every step of it and no other', (name) => {
    const subject = subjects[name](ring());
    expect(subject.pass(walk)).toBe(256);
    const wrong = { ...walk, event: walk.event.map(() => 'approve'), to: walk.to.map(() => 'PLANNED') };
    const legal = () => subject.pass({ ...wrong });
    if (name.startsWith('xstate') || name.startsWith('robot3')) expect(legal()).toBe(0);
    else expect(attempt(legal)).toBe(0);
  });
});

function attempt(act: () => number): number {
  try {
    return act();
  } catch {
    return 0;
  }
}

describe('the judgement of the kernel benchmark', () => {
  const measured = (subject: SubjectName, ns: number, prelude: Measured['prelude'] = 'none'): Measured => ({
    subject,
    prelude,
    ns: [ns, ns * 2],
    bytes: null,
  });

  it('compares round by round, and holds only where every aim is reached', () => {
    const fast = [measured('nested object', 15), measured('fsm-core can', 15)];
    expect(judge(fast, { short: false })).toMatchObject({ holds: true, broken: [] });
    const slow = [measured('nested object', 15), measured('fsm-core can', 30)];
    const found = judge(slow, { short: false });
    expect(found.holds).toBe(false);
    expect(found.broken).toEqual(['check of a move: fsm-core can reaches 0.5 of nested object, not 0.9.']);
  });

  it('says nothing about times in the short form, but that there are any', () => {
    const slow = [measured('nested object', 15), measured('fsm-core can', 30)];
    expect(judge(slow, { short: true }).holds).toBe(true);
    expect(judge([], { short: true }).holds).toBe(false);
  });
});
