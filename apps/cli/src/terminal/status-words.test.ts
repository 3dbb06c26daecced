import { taskMachine } from '@baton/fsm-core';
import { expect, test } from 'vitest';

import { createColors } from './colors.ts';
import { runWord, statusesNamed, taskWord } from './status-words.ts';
import { systemSeal } from './system.ts';

const colors = createColors({ enabled: false, seal: systemSeal() });
const bright = createColors({ enabled: true, seal: systemSeal() });
const isRed = (text: string) => bright.finish(text).includes('\x1b[31m');

test.each(taskMachine.states.map((status) => [status]))(
  '%s is found by the word on screen and by its name',
  (status) => {
    const word = taskWord(status, colors).replace(/^\S+ /, '');
    expect(statusesNamed(word)).toEqual([status]);
    expect(statusesNamed(word.toUpperCase().replaceAll(' ', '-'))).toEqual([status]);
    expect(statusesNamed(status)).toEqual([status]);
  },
);

test('waiting is every kind of waiting, and a word that means nothing finds nothing', () => {
  expect(statusesNamed('waiting').toSorted()).toEqual(['PENDING_APPROVAL', 'WAITING_FOR_SUBTASKS']);
  expect(statusesNamed('lnded')).toEqual([]);
});

test('every state of a task has a mark of its own and a word, and only one that failed looks like that', () => {
  expect(taskMachine.states.map((status) => `${status}: ${taskWord(status, colors)}`)).toEqual([
    'PLANNED: ◇ planned',
    'OPEN: ○ open',
    'CLAIMED: ◔ claimed',
    'IN_PROGRESS: ● running',
    'DONE: ⇄ verifying',
    'CLOSED: ✔ landed',
    'FAILED: ✘ failed',
    'BLOCKED: ■ blocked',
    'WAITING_FOR_SUBTASKS: ◌ waits for subtasks',
    'CANCELLED: ⊘ cancelled',
    'ORPHANED: ◐ orphaned',
    'PENDING_APPROVAL: ? waits for approval',
  ]);
  expect(taskMachine.states.filter((status) => isRed(taskWord(status, bright)))).toEqual(['FAILED']);
});

test('every state of a run has a mark and a word, and what needs a person at once is red', () => {
  const statuses = [
    'running',
    'paused',
    'waiting',
    'stuck',
    'done',
    'failed',
    'cancelled',
    'not_carried',
  ] as const;
  expect(statuses.map((status) => runWord(status, colors))).toEqual([
    '● running',
    '‖ paused',
    '? waits for a person',
    '■ stuck',
    '✔ done',
    '✘ failed',
    '⊘ cancelled',
    '‖ not carried',
  ]);
  expect(statuses.filter((status) => isRed(runWord(status, bright)))).toEqual([
    'stuck',
    'failed',
    'not_carried',
  ]);
});
