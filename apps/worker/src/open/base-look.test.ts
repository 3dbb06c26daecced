import type { CheckResult, Verdict } from '@baton/contracts';
import { workspaceSetup } from '@baton/contracts';
import { expect, test } from 'vitest';

import { baseRedText } from './base-look.ts';

const gate = (name: string, more: Partial<CheckResult> = {}): CheckResult => ({
  name,
  kind: 'gate',
  required: true,
  passed: false,
  reason: '"npm test" ended with exit code 127',
  durationMs: 1,
  cached: false,
  ...more,
});
const verdictOf = (...results: CheckResult[]): Verdict => ({
  tree: 't',
  passed: false,
  checks: 'gates',
  results,
  reasons: [],
  durationMs: 1,
});
const base = '0123456789abcdef';

test('a red base says the gate, the last 20 lines that it printed, what the worktree lacks and what to do', () => {
  const output = Array.from({ length: 30 }, (_, n) => `line ${n + 1}`).join('\n');
  const advice = {
    missing: ['node_modules'],
    uncommitted: [],
    workspace: workspaceSetup.parse({ symlink: ['node_modules'] }),
    hints: [],
  };
  const verdict = verdictOf(gate('lint', { passed: true }), gate('tests', { output: `${output}\n` }));
  const lines = baseRedText({ base, verdict, advice, workspace: null }).split('\n');
  expect(lines[0]).toBe(
    'A required gate is red on 012345678, before any work. gate tests: "npm test" ended with exit code 127.',
  );
  expect(lines.slice(1, 4)).toEqual(['Last lines of tests:', '  line 11', '  line 12']);
  expect(lines.slice(-3)).toEqual([
    '  line 30',
    'Your checkout has node_modules, which git ignores; the worktree has none.',
    'Write `workspace: { symlink: [node_modules] }` in baton.yaml.',
  ]);
});

test.each([
  ['fatal: No names found, cannot describe anything.'],
  ["fatal: No tags can describe 'abc'."],
  ["fatal: no tag exactly matches 'abc'"],
  ["error: No such remote 'origin'"],
  ["fatal: ambiguous argument 'origin/main...HEAD': unknown revision or path not in the working tree."],
  ['fatal: Not a valid object name main'],
])('a gate that asks git for tags, branches or remotes learns that a worktree has none: %s', (output) => {
  const told = baseRedText({
    base,
    verdict: verdictOf(gate('tests', { output })),
    advice: null,
    workspace: null,
  });
  expect(told.split('\n').slice(-2)).toEqual([
    'The repository that gates see holds the history of the base, and no tags, other branches or remotes of yours.',
    'Let the gate do without them: give a version by a variable, or compare with a commit such as HEAD~1.',
  ]);
});

test('colours of what a gate printed are left out, and what is known to help is said', () => {
  const verdict = verdictOf(gate('tests', { output: '\u001B[31mError: refused\u001B[39m\n\u001B[0m\n' }));
  const advice = { missing: [], uncommitted: [], workspace: null, hints: ['install mix', 'start it'] };
  expect(baseRedText({ base, verdict, advice, workspace: null }).split('\n').slice(1)).toEqual([
    'Last lines of tests:',
    '  Error: refused',
    'Install mix, start it.',
  ]);
});

test('where nothing is missing the base is what has to be mended', () => {
  const verdict = verdictOf(gate('lint'), gate('tests'), gate('advice', { required: false }));
  expect(baseRedText({ base, verdict, advice: null, workspace: null })).toBe(
    'A required gate is red on 012345678, before any work. gate lint: "npm test" ended with exit code 127. ' +
      'gate tests: "npm test" ended with exit code 127.\nMake it pass, and commit that.',
  );
});
