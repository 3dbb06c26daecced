import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assembleBatch, type BatchCandidate } from './assemble-batch.ts';

const task = (id: string, given: Partial<BatchCandidate> = {}): BatchCandidate => ({
  id,
  files: [],
  scope: 'small',
  waitsFor: [],
  ...given,
});

it('prefers the same file, then the same directory, then the same module, then rank', () => {
  const head = task('head', { files: ['src/a/x.ts'] });
  const candidates = [
    task('first in rank', { files: ['docs/x.md'] }),
    task('same module', { files: ['src/b/y.ts'] }),
    task('same directory', { files: ['src/a/y.ts'] }),
    task('same file', { files: ['src/a/x.ts'] }),
  ];
  expect(assembleBatch(head, candidates, 3)).toEqual(['head', 'same file', 'same directory']);
  expect(assembleBatch(task('head'), candidates, 2)).toEqual(['head', 'first in rank']);
});

it('takes what waits only for the batch, in an order that works', () => {
  const candidates = [
    task('z', { waitsFor: ['y'] }),
    task('y', { waitsFor: ['head'] }),
    task('w', { waitsFor: ['elsewhere'] }),
  ];
  expect(assembleBatch(task('head'), candidates, 3)).toEqual(['head', 'y', 'z']);
});

it('leaves large and XL tasks alone', () => {
  expect(assembleBatch(task('head', { scope: 'xl' }), [task('a')], 3)).toEqual(['head']);
  expect(assembleBatch(task('head'), [task('a', { scope: 'large' }), task('b')], 3)).toEqual(['head', 'b']);
});

it('always begins with the head, keeps the limit, repeats no task and never puts a task before what it waits for', () => {
  const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const candidate = fc.record({
    id: ids,
    files: fc.array(fc.constantFrom('src/a.ts', 'src/b.ts', 'docs/c.md')),
    scope: fc.constantFrom('small', 'medium', 'large'),
    waitsFor: fc.array(fc.oneof(ids, fc.constant('head')), { maxLength: 2 }),
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(candidate, { selector: ({ id }) => id }),
      fc.integer({ min: 1, max: 3 }),
      (candidates, limit) => {
        const batch = assembleBatch(task('head'), candidates, limit);
        expect(batch[0]).toBe('head');
        expect(batch.length).toBeLessThanOrEqual(limit);
        expect(new Set(batch).size).toBe(batch.length);
        for (const [at, id] of batch.entries()) {
          const waitsFor = candidates.find((each) => each.id === id && at > 0)?.waitsFor ?? [];
          expect(waitsFor.every((other) => batch.indexOf(other) >= 0 && batch.indexOf(other) < at)).toBe(
            true,
          );
        }
      },
    ),
  );
});
