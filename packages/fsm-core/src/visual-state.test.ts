import { expect, test } from 'vitest';
import { classifyVisualState, defaultVisualThresholds, VISUAL_STATES, type VisualInput } from './index.ts';

const now = 1_700_000_000_000;
const working: VisualInput = {
  status: 'working',
  activity: null,
  pid: 42,
  spawnedAt: now - 900_000,
  lastHeartbeatAt: now - 1000,
};

const cases: [string, string, Partial<VisualInput>][] = [
  ['SPAWNING', 'not launched yet, its workspace still being made', { status: null, pid: null }],
  ['SPAWNING', 'starting at a time that is not known', { status: 'starting', spawnedAt: null }],
  ['SPAWNING', 'starting for 59.999 s', { status: 'starting', spawnedAt: now - 59_999, pid: null }],
  ['DEAD', 'starting for exactly 60 s', { status: 'starting', spawnedAt: now - 60_000 }],
  ['RUNNING', 'working with a recent sign of life', {}],
  ['RUNNING', 'silent for 299.999 s', { lastHeartbeatAt: now - 299_999 }],
  ['STALLED', 'silent for exactly 300 s', { lastHeartbeatAt: now - 300_000 }],
  ['STALLED', 'never a sign of life, spawned long ago', { lastHeartbeatAt: null }],
  ['RUNNING', 'never a sign of life, spawned just now', { lastHeartbeatAt: null, spawnedAt: now - 5000 }],
  ['RUNNING', 'the word in_progress', { status: 'in_progress' }],
  ['RUNNING', 'the word running', { status: 'Running' }],
  ['MERGING', 'working, activity merging', { activity: 'merging', lastHeartbeatAt: now - 400_000 }],
  ['MERGING', 'working, activity committing', { activity: 'committing' }],
  ['MERGING', 'the word pushing', { status: 'pushing' }],
  ['IDLE', 'idle', { status: 'idle' }],
  ['IDLE', 'the word paused', { status: 'paused' }],
  ['IDLE', 'idle, pid unknown', { status: 'idle', pid: undefined }],
  ['DEAD', 'idle without a process', { status: 'idle', pid: null }],
  ['DEAD', 'dead, even if it once was merging', { status: 'dead', activity: 'merging' }],
  ['DEAD', 'the word killed', { status: 'killed' }],
  ['DEAD', 'the word cancelled', { status: 'cancelled' }],
  ['UNKNOWN', 'an unrecognised word', { status: 'meditating' }],
  ['UNKNOWN', 'working without any time', { spawnedAt: null, lastHeartbeatAt: null }],
];

test.each(cases)('%s: %s', (expected, _, change) => {
  expect(classifyVisualState({ ...working, ...change }, defaultVisualThresholds, now)).toBe(expected);
});

test('thresholds are the caller’s to choose', () => {
  const thresholds = { stallMs: 500, spawnTimeoutMs: 10 };
  expect(classifyVisualState(working, thresholds, now)).toBe('STALLED');
  expect(classifyVisualState({ ...working, status: 'starting', spawnedAt: now - 10 }, thresholds, now)).toBe(
    'DEAD',
  );
});

test('instants may be given as dates', () => {
  const session = { ...working, lastHeartbeatAt: new Date(now - 300_000) };
  expect(classifyVisualState(session, defaultVisualThresholds, new Date(now))).toBe('STALLED');
});

test('every visual state has its own sign and colour', () => {
  const shown = Object.entries(VISUAL_STATES).map(
    ([state, { indicator, color }]) => `${state} ${indicator} ${color}`,
  );
  expect(shown).toEqual([
    'SPAWNING ◔ yellow',
    'RUNNING ● green',
    'STALLED ◐ dark orange',
    'MERGING ⇄ blue',
    'DEAD ○ red',
    'IDLE □ gray',
    'UNKNOWN ◌ dim',
  ]);
});
