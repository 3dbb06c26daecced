import { expect, test } from 'vitest';
import { loopDetector } from './loops.ts';

const call = { title: 'npm test', kind: 'execute', input: '{}', paths: [] };
const edit = (file: string, n: number) => ({
  title: `Edit ${n}`,
  kind: 'edit',
  input: String(n),
  paths: [file],
});

test('the same call in a row is warned about once, then ended', () => {
  const loops = loopDetector();
  const verdicts = Array.from({ length: 16 }, () => loops.see(call).verdict);
  expect(verdicts.indexOf('warn')).toBe(7);
  expect(verdicts.filter((verdict) => verdict === 'warn')).toHaveLength(1);
  expect(verdicts.indexOf('end')).toBe(15);
});

test('another call in between restarts the count', () => {
  const loops = loopDetector();
  const verdicts = Array.from(
    { length: 60 },
    (_, n) => loops.see(n % 7 === 6 ? { ...call, input: String(n) } : call).verdict,
  );
  expect(new Set(verdicts)).toEqual(new Set(['fine']));
});

test('one file edited over and over is a loop; many files are work', () => {
  const one = loopDetector();
  const verdicts = Array.from({ length: 40 }, (_, n) => one.see(edit('/repo/a.ts', n)).verdict);
  expect([verdicts.indexOf('warn'), verdicts.indexOf('end')]).toEqual([19, 39]);
  const many = loopDetector();
  const fine = Array.from({ length: 80 }, (_, n) => many.see(edit(`/repo/${n % 3}.ts`, n)).verdict);
  expect(new Set(fine)).toEqual(new Set(['fine']));
});
