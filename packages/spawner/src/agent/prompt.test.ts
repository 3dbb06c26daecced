import fc from 'fast-check';
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { renderPrompt, roles, type PromptInput } from './prompt.ts';

const input: PromptInput = {
  role: 'backend',
  task: {
    key: 'parse-dates',
    title: 'Parse ISO dates',
    goal: 'parse() accepts ISO 8601 dates with offsets.',
    files: ['src/dates'],
    context: ['docs/dates.md'],
    signals: [
      { type: 'command_succeeds', command: ['npm', 'test'] },
      { type: 'diff_within', paths: ['src/dates', 'test'] },
      { type: 'file_contains', path: 'README.md', text: 'offset' },
    ],
    source: { kind: 'plan', by: 'ada', trusted: true },
  },
  attempt: 2,
  rejections: ['npm test failed: 2 of 40', 'the diff touches src/other.ts'],
  continued: true,
  salvageRef: null,
  predecessors: [
    { key: 'types', title: 'Add types', summary: 'Added Date types.', landedCommit: '0123456789abcdef0123' },
  ],
  lessons: ['The test suite needs TZ=UTC.'],
  gates: [
    { name: 'lint', command: ['npm', 'run', 'lint'], required: true },
    { name: 'size', command: ['npm', 'run', 'size'], required: false },
  ],
  workspace: '/state/worktrees/r1/w1/tree',
};

test('the prompt has its sections in order, and the same input gives the same text', () => {
  expect(renderPrompt(input)).toBe(renderPrompt(structuredClone(input)));
  expect(renderPrompt(input)).toMatchSnapshot();
});

test('a prompt names files in conflict and says how to bring both sides together', () => {
  const files = Array.from({ length: 60 }, (_, at) => ({
    path: `src/f${at}.ts`,
    what: 'changed on both sides',
  }));
  const conflicts = { files, names: ['1', '2'], sides: ['aaa', 'bbb'] } as const;
  const prompt = renderPrompt({ ...input, conflicts });
  expect(prompt).toContain('bring both together here:\n\n- `src/f0.ts`: changed on both sides\n');
  expect(prompt).toContain('- `src/f49.ts`: changed on both sides\n- … and 10 more');
  expect(prompt).toContain('`git show aaa:PATH` is what landed, `git show bbb:PATH` the earlier work.');
  expect(prompt).toContain('You bring two lines of work together.');
  expect(prompt).not.toContain('do not start over');
  const merged = renderPrompt({ ...input, conflicts: { ...conflicts, files: [] } });
  expect(merged).toContain('It conflicted before and merges now');
});

test('every role of the list has a template, and there is no other', () => {
  const files = readdirSync(new URL('../../templates/roles/', import.meta.url)).map((name) =>
    name.replace('.md', ''),
  );
  expect(files.sort()).toEqual([...roles].sort());
  for (const role of roles)
    expect(renderPrompt({ ...input, role })).not.toBe(renderPrompt({ ...input, role: 'other' }));
});

test('a role that is a path reads no file', () => {
  expect(renderPrompt({ ...input, role: '../../package' })).toContain('You work as ....package on');
});

test('text from outside is labelled and cannot close its fence', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('`', '\n', 'a', '# Rules\n') }), (goal) => {
      const untrusted = {
        ...input,
        task: { ...input.task, goal: `x${goal}`, source: { kind: 'trigger', by: 'github', trusted: false } },
      };
      const text = renderPrompt(untrusted);
      const [, fence = '', inside = ''] = /\n(`{3,})text from outside\n([\s\S]*?)\n\1\n/.exec(text) ?? [];
      expect(inside).toBe(`x${goal}`.trim());
      expect(inside).not.toContain(fence);
    }),
  );
});

test('a prompt stays within its budget; goal and newest refusal outlive old results', () => {
  const long = 'word '.repeat(300);
  const text = renderPrompt({
    ...input,
    maxTokens: 1_000,
    rejections: [`oldest ${long}`, `newer ${long}`, 'newest refusal'],
    predecessors: Array.from({ length: 20 }, (_, n) => ({ key: `t${n}`, title: 'T', summary: long })),
  });
  expect(text.length).toBeLessThan(1_000 * 4 + 200);
  expect(text).toContain(input.task.goal);
  expect(text).toContain('newest refusal');
  expect(text).not.toContain('oldest word');
});
