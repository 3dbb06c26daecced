import { expect, it } from 'vitest';
import { lengthProblems, longFunctionsOf, shrinkList } from '../src/rules/function-length.ts';

const lines = (count: number) => 'work();\n'.repeat(count);

it('counts the lines of each function, with what is inside of it', () => {
  const source = [
    `export function long() {\n${lines(60)}}`,
    `const short = () => {\n${lines(58)}};`,
    `const outer = {\n  inner: () => {\n${lines(70)}},\n};`,
  ].join('\n');
  expect(longFunctionsOf('a.ts', source)).toEqual({ 'a.ts#long': 62, 'a.ts#inner': 72 });
});

it('refuses a long function that is not on the list, and one that grew', () => {
  expect(
    lengthProblems(
      { 'a.ts#new': 61, 'a.ts#grew': 80, 'a.ts#kept': 70 },
      { 'a.ts#grew': 79, 'a.ts#kept': 70 },
    ),
  ).toEqual(['a.ts#grew: 80 lines, at most 79 allowed', 'a.ts#new: 61 lines, at most 60 allowed']);
});

it('says which entries can shrink, and shrinks those alone', () => {
  const list = { 'a.ts#gone': 90, 'a.ts#less': 90 };
  const found = { 'a.ts#less': 70, 'a.ts#new': 61 };
  expect(lengthProblems({ 'a.ts#less': 70 }, list)).toEqual([
    'a.ts#gone: short or gone: `pnpm check function-length --fix`',
    'a.ts#less: 70 lines: `pnpm check function-length --fix`',
  ]);
  expect(shrinkList(found, list)).toEqual({ 'a.ts#less': 70 });
});
