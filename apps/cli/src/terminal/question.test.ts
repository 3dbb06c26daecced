import { expect, test } from 'vitest';

import { someAttempt } from '../../test/support/snapshots.ts';
import { questionOf } from './question.ts';

test.each([
  ['I looked at it. Shall the tone be formal or informal?', 'Shall the tone be formal or informal?'],
  ['Done so far:\n- a\nWhich of both?', 'Which of both?'],
  ['Is it (a)? Yes.', null],
  ['All done.', null],
])('the question at the end of what an agent said is found: %j', (summary, question) => {
  expect(questionOf(someAttempt('a', { outcome: 'rejected', summary }))).toBe(question);
});

test('what a failure recorded, what landed and what is not over ask nothing', () => {
  const summary = 'really?';
  const asked = (outcome: string | null) => questionOf(someAttempt('a', { outcome, summary }));
  expect([asked('agent_failed'), asked('done'), asked(null), questionOf(undefined)]).toEqual([
    null,
    null,
    null,
    null,
  ]);
});
