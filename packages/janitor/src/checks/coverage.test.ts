import type { CoverageReport } from '@baton/contracts';
import { expect, it } from 'vitest';
import { hasFallen, readCoverage, shareText } from './coverage.ts';

const read = (format: CoverageReport['format'], text: string | null) =>
  readCoverage(text, { file: 'cov/report', format });

it('reports are read in each format, with either end of line', () => {
  const lcov = 'TN:\nSF:a.js\nDA:1,1\nLF:10\nLH:8\nend_of_record\nSF:b.js\nLF:5\nLH:0\nend_of_record\n';
  expect(read('lcov', lcov)).toEqual({ covered: 8, total: 15 });
  expect(read('lcov', lcov.replaceAll('\n', '\r\n'))).toEqual({ covered: 8, total: 15 });
  const xml = `<?xml version="1.0" ?>\n<coverage version="7" lines-valid="40" lines-covered="30"\n line-rate="0.75"><packages/></coverage>`;
  expect(read('cobertura', xml)).toEqual({ covered: 30, total: 40 });
  const summary = { total: { lines: { total: 20, covered: 5, skipped: 0, pct: 25 } } };
  expect(read('istanbul-summary', JSON.stringify(summary))).toEqual({ covered: 5, total: 20 });
});

it('a report that is missing, empty, broken or impossible is none', () => {
  expect(read('lcov', null)).toEqual({ why: 'it wrote no cov/report' });
  const why = { why: 'cov/report names no covered lines as lcov does' };
  for (const text of ['', 'LF:0\nLH:0\n', 'LF:1\nLH:2\n', '<coverage lines-valid="1" lines-covered="1"/>'])
    expect(read('lcov', text), text).toEqual(why);
  for (const text of ['', '{', '{}', 'null', '[]', '{"total":{"lines":{"total":"x"}}}'])
    expect(read('istanbul-summary', text), text).toHaveProperty('why');
  for (const text of ['<coverage line-rate="0.5">', '<x/>', '<coverage lines-valid="-1" lines-covered="0">'])
    expect(read('cobertura', text), text).toHaveProperty('why');
});

it('a share may fall by so many points and no more', () => {
  const of = (covered: number, total = 100) => ({ covered, total });
  expect(hasFallen({ before: of(80), after: of(80) }, 0)).toBe(false);
  expect(hasFallen({ before: of(80), after: of(79) }, 0)).toBe(true);
  expect(hasFallen({ before: of(80), after: of(79) }, 1)).toBe(false);
  expect(hasFallen({ before: of(1, 3), after: of(333, 1000) }, 0)).toBe(true);
  expect(hasFallen({ before: of(2, 3), after: of(4, 6) }, 0)).toBe(false);
  expect(hasFallen({ before: of(80), after: of(100) }, 0)).toBe(false);
  expect(shareText(of(2, 3))).toBe('66.67 % of 3 lines');
});
