import { expect, it } from 'vitest';
import { budgetNote } from './budget-note.ts';

it('says nothing at first, then warns, then nudges towards the smallest change', () => {
  const at = (spent: number, stage: 'ok' | 'warn' | 'nudge' | 'end') =>
    budgetNote({ spent, limit: 10, stage });
  expect(at(5, 'ok')).toBeNull();
  expect(at(6, 'warn')).toMatch(/^6 of 10 attempts .* Read why/);
  expect(at(8, 'nudge')).toMatch(/2 are left.*smallest change/);
  expect(at(9, 'nudge')).toContain('this is the last one');
});
