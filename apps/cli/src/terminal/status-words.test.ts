import { taskMachine } from '@baton/fsm-core';
import { expect, test } from 'vitest';

import { createColors } from './colors.ts';
import { statusesNamed, taskWord } from './status-words.ts';
import { systemSeal } from './system.ts';

const colors = createColors({ enabled: false, seal: systemSeal() });

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
