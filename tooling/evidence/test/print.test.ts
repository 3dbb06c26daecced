import { describe, expect, it } from 'vitest';
import { markdownTable, renderTable } from '../src/print.ts';

const table = {
  columns: ['part', 'ms'],
  rows: [
    ['git', 120],
    ['gate', 7],
  ],
};

describe('tables', () => {
  it('line up, numbers to the right', () => {
    expect(renderTable(table).split('\n')).toEqual(['part   ms', '────  ───', 'git   120', 'gate    7']);
  });

  it('become Markdown for the pages that keep them', () => {
    expect(markdownTable(table)).toBe('| part | ms |\n| --- | --- |\n| git | 120 |\n| gate | 7 |');
  });
});
