import { expect, it } from 'vitest';
import { buildsOn } from './member-start.ts';

const owning = (...files: string[]) => ({ task: { key: 'later', files }, predecessors: [] });
const before = (...files: string[]) => ({ task: { key: 'before', files } });

it('builds on what it depends on, whatever the paths', () => {
  const known = { key: 'before', title: '', summary: null, landedCommit: null };
  expect(buildsOn({ ...owning('a'), predecessors: [known] }, before('b'))).toBe(true);
  expect(buildsOn({ ...owning('a'), predecessors: [{ ...known, key: 'other' }] }, before('b'))).toBe(false);
});

it('builds on what owns the same paths, folders with all that is in them', () => {
  expect(buildsOn(owning('src/a.ts'), before('src/a.ts'))).toBe(true);
  expect(buildsOn(owning('src/a.ts'), before('src/'))).toBe(true);
  expect(buildsOn(owning('src'), before('docs', 'src/a.ts'))).toBe(true);
  expect(buildsOn(owning('src2'), before('src'))).toBe(false);
  expect(buildsOn(owning(), before('src'))).toBe(false);
});
