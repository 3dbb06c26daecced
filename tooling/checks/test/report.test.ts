import { describe, expect, it, vi } from 'vitest';
import { chosen, report } from '../src/report.ts';
import type { Rule } from '../src/rule.ts';
import { lineCount } from '../src/rules/file-length.ts';
import { fits } from '../src/rules/licences.ts';

const rule = (name: string, problems: string[] = []): Rule => ({
  name,
  what: `${name} holds`,
  check: async () => problems,
});

/** What the report printed. */
async function printed(rules: readonly Rule[], fix = false): Promise<{ exitCode: number; text: string }> {
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  const exitCode = await report(rules, { fix });
  const text = log.mock.calls.map((call) => String(call[0])).join('\n');
  log.mockRestore();
  return { exitCode, text };
}

describe('pnpm check', () => {
  it('ends with the counts alone on the last line, and with 0 when every rule holds', async () => {
    const { exitCode, text } = await printed([rule('a'), rule('b')]);
    expect(exitCode).toBe(0);
    expect(text.split('\n').at(-1)).toBe('2 passed, 0 failed');
  });

  it('ends with 1 and names every problem when a rule is broken', async () => {
    const { exitCode, text } = await printed([rule('a'), rule('b', ['file.ts: wrong'])]);
    expect(exitCode).toBe(1);
    expect(text).toContain('file.ts: wrong');
    expect(text.split('\n').at(-1)).toBe('1 passed, 1 failed');
  });

  it('counts a rule that breaks down as broken', async () => {
    const failing = { ...rule('a'), check: () => Promise.reject(new Error('no such file')) };
    expect(await printed([failing])).toMatchObject({
      exitCode: 1,
      text: expect.stringContaining('no such file'),
    });
  });

  it('has two rules run at a time, and one where files are put right', async () => {
    const seen = { running: 0, most: 0 };
    const slow = (name: string): Rule => ({
      ...rule(name),
      check: async () => {
        seen.most = Math.max(seen.most, (seen.running += 1));
        await new Promise((resolve) => setImmediate(resolve));
        seen.running -= 1;
        return [];
      },
    });
    const all = ['a', 'b', 'c', 'd', 'e'].map(slow);
    const { text } = await printed(all);
    expect(seen.most).toBe(2);
    for (const { name } of all)
      expect(text.split('\n').filter((line) => line.startsWith(`✓ ${name} `))).toHaveLength(1);
    seen.most = 0;
    await printed(all, true);
    expect(seen.most).toBe(1);
  });

  it('puts right what can be, before it looks', async () => {
    let wrong = true;
    const fixable: Rule = {
      ...rule('a'),
      check: async () => (wrong ? ['wrong'] : []),
      fix: async () => {
        wrong = false;
        return ['file.ts'];
      },
    };
    expect((await printed([fixable])).exitCode).toBe(1);
    expect(await printed([fixable], true)).toMatchObject({
      exitCode: 0,
      text: expect.stringContaining('fixed file.ts'),
    });
  });

  it('refuses a rule that it does not know, and names those it does', () => {
    expect(() => chosen([rule('lint'), rule('types')], ['lnt'])).toThrow(/"lnt".*lint, types/);
    expect(chosen([rule('lint'), rule('types')], ['types'])).toHaveLength(1);
  });
});

describe('lines', () => {
  it('are counted without the break after the last', () => {
    expect([lineCount(''), lineCount('a'), lineCount('a\n'), lineCount('a\nb\n')]).toEqual([0, 1, 1, 2]);
  });
});

describe('licences', () => {
  const allowed = new Set(['MIT', 'ISC']);
  it.each([
    ['MIT', true],
    ['(GPL-3.0 OR MIT)', true],
    ['MIT AND ISC', true],
    ['MIT AND GPL-3.0', false],
    ['GPL-3.0', false],
    ['Unknown', false],
  ])('%s fits: %s', (expression, expected) => {
    expect(fits(expression, allowed)).toBe(expected);
  });
});
