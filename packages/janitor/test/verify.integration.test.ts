import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verdict as verdictSchema, type CheckResult } from '@baton/contracts';
import { needsWorktree } from '../src/index.ts';
import { answers, changeOf, command, gate } from './helpers/verifying.ts';
import { sh } from './helpers/repos.ts';

const before = { 'a.txt': 'a\n', 'src/x.js': 'x\n' };
const after = { 'a.txt': 'b\n' };

test('a green tree gets a verdict that is bound to it and says what decided', async () => {
  const change = await changeOf(before, after);
  const verdict = await change.verify({
    gates: [gate('tests', 'grep -q b a.txt')],
    signals: [{ type: 'path_exists', path: 'a.txt' }],
  });
  expect(verdictSchema.parse(verdict)).toMatchObject({ passed: true, checks: 'signals+gates', reasons: [] });
  expect(verdict.tree).toBe(await sh(change.root, 'rev-parse', `${change.head}^{tree}`));
  expect(Object.keys(answers(verdict))).toEqual([
    'tree',
    'diff',
    'secrets',
    'large-files',
    'filters',
    'path_exists a.txt',
    'tests',
  ]);
});

test('with nothing else the verdict says that only the built-in checks decided', async () => {
  const change = await changeOf(before, after);
  expect(await change.verify()).toMatchObject({ passed: true, checks: 'builtin' });
  expect(await change.verify({ gates: [gate('docs', 'false', { paths: ['docs'] })] })).toMatchObject({
    passed: true,
    checks: 'builtin',
  });
  expect(await change.verify({ gates: [gate('nice', 'false', { required: false })] })).toMatchObject({
    passed: true,
    checks: 'builtin',
  });
  expect(await change.verify({ signals: [command('true')] })).toMatchObject({ checks: 'signals' });
  expect(await change.verify({ gates: [gate('tests', 'true')] })).toMatchObject({ checks: 'gates' });
});

test('every red is named with its reason and the end of its output, and all checks run', async () => {
  const change = await changeOf(before, after);
  const verdict = await change.verify({
    gates: [gate('lint', 'echo bad style; exit 3'), gate('tests', 'echo also >&2; exit 1')],
  });
  expect(verdict.passed).toBe(false);
  expect(verdict.reasons).toEqual([
    'gate lint: "echo bad style; exit 3" ended with exit code 3.',
    'gate tests: "echo also >&2; exit 1" ended with exit code 1.',
  ]);
  expect(verdict.results.at(-2)?.output).toBe('bad style\n');
  expect(verdict.results.at(-1)?.output).toBe('also\n');
});

test.each([
  ['a missing tool', { command: ['no-such-tool-here'] as [string] }, /no-such-tool-here was not found/],
  ['a time-out', { timeout: 300, command: ['sleep', '30'] }, /was ended after 0.3 s/],
  ['a death by signal', { command: ['sh', '-c', 'kill -9 $$'] }, /ended by SIGKILL/],
])('%s is a no', async (_, rest, reason) => {
  const change = await changeOf(before, after);
  const verdict = await change.verify({ gates: [gate('tests', '', rest)] });
  expect(verdict.passed).toBe(false);
  expect(verdict.reasons[0]).toMatch(reason);
});

test('an error inside a check is a no, not a crash', async () => {
  const change = await changeOf(before, after);
  const exec = () => Promise.reject(new Error('out of handles'));
  expect(await change.verify({ exec, gates: [gate('tests', 'true')] })).toMatchObject({
    passed: false,
    reasons: ['gate tests: could not be checked: out of handles.'],
  });
});

test('advisory and allowed-red gates are reported and do not decide', async () => {
  const change = await changeOf(before, after);
  const verdict = await change.verify({
    gates: [gate('nice', 'false', { required: false }), gate('old', 'false'), gate('new', 'true')],
    allowRed: ['old'],
  });
  expect(verdict).toMatchObject({ passed: true, checks: 'gates' });
  expect(answers(verdict)).toMatchObject({ nice: false, old: false, new: true });
});

test('a gate with a condition runs only when the change touches its paths; on a base it always runs', async () => {
  const change = await changeOf(before, after);
  const gates = [gate('docs', 'false', { paths: ['docs/'] })];
  expect(await change.verify({ gates })).toMatchObject({ passed: true });
  expect(await change.verify({ gates: [gate('a', 'false', { paths: ['./a.txt'] })] })).toMatchObject({
    passed: false,
  });
  const base = await change.verify({ gates, baseCommit: change.head, changedPaths: null });
  expect(base).toMatchObject({ passed: false });
  expect(Object.keys(answers(base))).toEqual(['tree', 'docs']);
});

test('a worktree that is not at the candidate, or that set-up altered, cannot pass', async () => {
  const change = await changeOf(before, after);
  const otherTree = await change.verify({ tree: change.base });
  expect(otherTree.reasons).toEqual([expect.stringMatching(/does not have this tree/)]);
  await sh(change.root, 'checkout', '--quiet', change.base);
  const elsewhere = await change.verify();
  expect(elsewhere.reasons).toEqual([expect.stringMatching(/not checked out at the candidate/)]);
  await sh(change.root, 'checkout', '--quiet', change.head);
  await writeFile(join(change.root, 'src/x.js'), 'patched by set-up\n');
  const verdict = await change.verify();
  expect(verdict.reasons).toEqual([expect.stringMatching(/set-up altered tracked files.*src\/x\.js/)]);
});

test('a gate that rewrites tracked files is a no that names them, and the next one sees the tree as it was', async () => {
  const change = await changeOf(before, after);
  const verdict = await change.verify({
    gates: [
      gate('fix', 'echo fixed > a.txt; git commit -qam sneaky || true'),
      gate('tests', 'grep -q fixed a.txt'),
    ],
  });
  expect(answers(verdict)).toMatchObject({ fix: false, tests: false });
  expect(verdict.reasons[0]).toMatch(/^gate fix: .* changed tracked files \(a\.txt\), .*may_write: true/);
});

test('doing nothing is not done, unless a signal says what holds without a change', async () => {
  const change = await changeOf(before, {});
  const { reasons } = await change.verify();
  expect(reasons).toEqual([expect.stringMatching(/nothing changed/)]);
  expect(await change.verify({ signals: [{ type: 'diff_within', paths: ['src'] }] })).toMatchObject({
    passed: false,
  });
  const looked = await change.verify({ signals: [{ type: 'llm_review', prompt: 'It is right.' }] });
  expect(looked.reasons.join()).toContain('nothing changed');
  expect(await change.verify({ signals: [{ type: 'path_exists', path: 'a.txt' }] })).toMatchObject({
    passed: true,
  });
  expect(await change.verify({ signals: [{ type: 'path_exists', path: 'b.txt' }] })).toMatchObject({
    passed: false,
  });
});

test('a result is taken from the cache for the same tree and command only, and offered to it', async () => {
  const change = await changeOf(before, after);
  const kept = new Map<string, CheckResult>();
  const options = {
    gates: [gate('tests', 'echo ran')],
    signals: [command('true')],
    cache: async (key: string) => kept.get(key) ?? null,
    onCheck: (result: CheckResult, key: string | null) => void (key !== null && kept.set(key, result)),
  };
  await change.verify(options);
  expect(kept.size).toBe(2);
  const again = await change.verify({ ...options, exec: () => Promise.reject(new Error('must not run')) });
  expect(again.passed).toBe(true);
  expect(again.results.filter((result) => result.cached).map((result) => result.name)).toEqual([
    'command_succeeds true',
    'tests',
  ]);
  const other = await change.verify({ ...options, versions: { node: 'other' } });
  expect(other.results.some((result) => result.cached)).toBe(false);
});

test('an earlier no is asked again: what it was about may be put right', async () => {
  const change = await changeOf(before, after);
  const no = {
    name: 'tests',
    kind: 'gate',
    required: true,
    passed: false,
    reason: 'the service is down',
  } as const;
  const cache = (): Promise<CheckResult> => Promise.resolve({ ...no, durationMs: 1, cached: false });
  expect(await change.verify({ gates: [gate('tests', 'true')], cache })).toMatchObject({ passed: true });
});

test('output is cut to its end and holds neither keys nor the values of secret variables', async () => {
  const change = await changeOf(before, after);
  const key = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;
  const line = `echo START; i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done; echo ${key}; echo pw=$DB_PASSWORD; exit 1`;
  const verdict = await change.verify({
    gates: [gate('tests', line)],
    env: { PATH: process.env['PATH'] ?? '', DB_PASSWORD: 'correct horse' },
  });
  const [result] = verdict.results.slice(-1);
  expect(result?.output).toMatch(/line 2999\n\[GitHub token removed\]\npw=\[DB_PASSWORD removed\]\n$/);
  expect(result?.output).not.toContain('START');
  expect(JSON.stringify(verdict)).not.toContain(key);
  expect(JSON.stringify(verdict)).not.toContain('correct horse');
});

test('stopping verification decides nothing', async () => {
  const change = await changeOf(before, after);
  const stop = new AbortController();
  const onCheck = (result: CheckResult): void => void (result.name === 'secrets' && stop.abort());
  await expect(
    change.verify({ gates: [gate('tests', 'sleep 30')], signal: stop.signal, onCheck }),
  ).rejects.toMatchObject({ code: 'INTERRUPTED' });
});

test('without a command to run no worktree is needed, and without a worktree a command is a no', async () => {
  const change = await changeOf(before, after);
  const bare = { worktree: null, repo: change.root };
  const signals = [{ type: 'file_contains', path: 'a.txt', text: 'b' } as const];
  const docs = gate('docs', 'true', { paths: ['docs'] });
  const ask = { gates: [docs], signals, changedPaths: ['a.txt'] };
  expect(needsWorktree(ask)).toBe(false);
  expect(await change.verify({ ...ask, ...bare })).toMatchObject({ passed: true, checks: 'signals' });
  expect((await change.verify({ ...ask, ...bare, candidateCommit: change.base })).passed).toBe(false);

  for (const more of [{ gates: [gate('tests', 'true')] }, { signals: [command('true')] }]) {
    expect(needsWorktree({ ...ask, ...more })).toBe(true);
    expect((await change.verify({ ...ask, ...more, ...bare })).passed).toBe(false);
  }
  expect(needsWorktree({ ...ask, changedPaths: null })).toBe(true);
});
