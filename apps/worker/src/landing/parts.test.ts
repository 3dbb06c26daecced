import type { LandingWork } from '@baton/task-store';
import { describe, expect, it } from 'vitest';
import { halvesOf, nextToVerify, restAfter, singlesOf, type Part } from './parts.ts';

const works = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ attempt: { id: `a${at}` } }) as LandingWork);

describe('what was red together', () => {
  const [first, rest] = halvesOf(works(5)) as [Part, Part];

  it('is divided into a longer and a shorter half', () => {
    expect([first.works.length, rest.works.length]).toEqual([3, 2]);
  });

  it('is red in its second half where the first one is green', () => {
    expect(restAfter([rest], { isGreen: true })).toEqual([{ works: rest.works, isRed: true, redGates: [] }]);
  });

  it('remembers in its second half which gates were red on the whole, and forgets it where that may not be why', () => {
    const [, second] = halvesOf(works(2), ['tests']) as [Part, Part];
    const [known] = restAfter([second], { isGreen: true });
    expect(known).toEqual({ works: second.works, isRed: true, redGates: ['tests'] });
    expect(restAfter([second], { isGreen: false })).toEqual([{ works: second.works }]);
  });

  it('may be green in its second half where the first one is red', () => {
    expect(restAfter([rest], { isGreen: false })).toEqual([{ works: rest.works }]);
  });

  it('says nothing of what waits behind it', () => {
    const others = singlesOf(works(2));
    expect(restAfter(others, { isGreen: true })).toEqual(others);
    expect(restAfter([], { isGreen: true })).toEqual([]);
  });
});

describe('what is verified next', () => {
  const [, rest] = halvesOf(works(8)) as [Part, Part];

  it('is what waits in the lane where no part is left', () => {
    expect(nextToVerify([])).toBeNull();
  });

  it('is the next part', () => {
    expect(nextToVerify(singlesOf(works(2)))).toEqual(works(1));
  });

  it('is the first half of what is red if the present part is green', () => {
    expect(nextToVerify([rest])).toEqual(rest.works.slice(0, 2));
    expect(nextToVerify([{ works: rest.works, isRed: true }])).toEqual(rest.works.slice(0, 2));
  });

  it('is what comes after a single red task, since that does not land', () => {
    const single: Part = { works: works(1), isRest: true };
    expect(nextToVerify([single])).toBeNull();
    expect(nextToVerify([single, rest])).toEqual(rest.works.slice(0, 2));
  });
});
