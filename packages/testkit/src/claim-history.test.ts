import { expect, it } from 'vitest';

import { contradictions, type ClaimOperation } from './claim-history.ts';

type Told = [
  kind: ClaimOperation['kind'],
  worker: string,
  from: number,
  to: number | null,
  more: Partial<Pick<ClaimOperation, 'attemptId' | 'fence' | 'ok' | 'taskId'>>,
];

const history = (...told: Told[]): ClaimOperation[] =>
  told.map(([kind, worker, invokedAt, respondedAt, more]) => ({
    taskId: 't',
    kind,
    worker,
    invokedAt,
    respondedAt,
    attemptId: null,
    fence: null,
    ok: respondedAt === null ? null : true,
    ...more,
  }));

it.each<[string, ClaimOperation[]]>([
  [
    'a claim, a renewal and a finish by one holder',
    history(
      ['claim', 'a', 1, 2, { attemptId: 'x', fence: 1 }],
      ['renew', 'a', 3, 4, { attemptId: 'x', fence: 1 }],
      ['done', 'a', 5, 6, { attemptId: 'x', fence: 1 }],
    ),
  ],
  [
    'two claims that overlap, where a release between them can have come first',
    history(
      ['claim', 'a', 1, 2, { attemptId: 'x', fence: 1 }],
      ['claim', 'b', 3, 9, { attemptId: 'y', fence: 2 }],
      ['release', 'a', 4, 8, { attemptId: 'x', fence: 1 }],
    ),
  ],
  [
    'a late report that is refused after the task was stolen and adopted',
    history(
      ['claim', 'a', 1, 2, { attemptId: 'x', fence: 1 }],
      ['steal', 'b', 3, 4, { attemptId: 'x' }],
      ['adopt', 'b', 5, 6, { attemptId: 'x', fence: 2 }],
      ['done', 'a', 5, 7, { attemptId: 'x', fence: 1, ok: false }],
      ['done', 'b', 8, 9, { attemptId: 'x', fence: 2 }],
    ),
  ],
  [
    'a claim that nobody heard the answer of, and what took its place',
    history(
      ['claim', 'a', 1, null, {}],
      ['steal', 'b', 3, 4, { attemptId: 'x' }],
      ['claim', 'b', 5, 6, { attemptId: 'y', fence: 2 }],
    ),
  ],
  [
    'a finish that nobody heard of and that never was',
    history(
      ['claim', 'a', 1, 2, { attemptId: 'x', fence: 1 }],
      ['done', 'a', 3, null, { attemptId: 'x', fence: 1 }],
      ['steal', 'b', 5, 6, { attemptId: 'x' }],
    ),
  ],
])('finds an order for %s', (_, operations) => {
  expect(contradictions(operations)).toEqual([]);
});

it.each<[string, ClaimOperation[]]>([
  [
    'two claims one after the other with nothing between them',
    history(
      ['claim', 'a', 1, 2, { attemptId: 'x', fence: 1 }],
      ['claim', 'b', 3, 4, { attemptId: 'y', fence: 2 }],
    ),
  ],
  [
    'two claims at the same time',
    history(
      ['claim', 'a', 1, 4, { attemptId: 'x', fence: 1 }],
      ['claim', 'b', 2, 3, { attemptId: 'y', fence: 2 }],
    ),
  ],
  [
    'a fence that does not grow',
    history(
      ['claim', 'a', 1, 2, { attemptId: 'x', fence: 5 }],
      ['release', 'a', 3, 4, { attemptId: 'x', fence: 5 }],
      ['claim', 'b', 5, 6, { attemptId: 'y', fence: 5 }],
    ),
  ],
  [
    'a finish under a fence that was another’s by then',
    history(
      ['claim', 'a', 1, 2, { attemptId: 'x', fence: 1 }],
      ['steal', 'b', 3, 4, { attemptId: 'x' }],
      ['adopt', 'b', 5, 6, { attemptId: 'x', fence: 2 }],
      ['done', 'a', 7, 8, { attemptId: 'x', fence: 1 }],
    ),
  ],
  [
    'a refusal of the one who holds it',
    history(
      ['claim', 'a', 1, 2, { attemptId: 'x', fence: 1 }],
      ['renew', 'a', 3, 4, { attemptId: 'x', fence: 1, ok: false }],
    ),
  ],
  [
    'a claim after the finish',
    history(
      ['claim', 'a', 1, 2, { attemptId: 'x', fence: 1 }],
      ['done', 'a', 3, 4, { attemptId: 'x', fence: 1 }],
      ['claim', 'b', 5, 6, { attemptId: 'y', fence: 2 }],
    ),
  ],
  [
    'a finish twice',
    history(
      ['claim', 'a', 1, 2, { attemptId: 'x', fence: 1 }],
      ['done', 'a', 3, 6, { attemptId: 'x', fence: 1 }],
      ['done', 'a', 4, 7, { attemptId: 'x', fence: 1 }],
    ),
  ],
])('finds none for %s', (_, operations) => {
  expect(contradictions(operations)).toEqual([{ taskId: 't', operations }]);
});

it('judges each task by itself', () => {
  const [x, y] = history(
    ['claim', 'a', 1, 2, { attemptId: 'x', fence: 1 }],
    ['claim', 'b', 3, 4, { attemptId: 'y', fence: 2, taskId: 'u' }],
  );
  expect(contradictions([x, y].flatMap((one) => one ?? []))).toEqual([]);
});
