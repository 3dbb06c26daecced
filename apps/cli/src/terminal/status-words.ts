import { taskMachine, type TaskStatus } from '@baton/fsm-core';
import type { RunStatus } from '@baton/task-store';

import type { Colors } from './colors.ts';

interface Word {
  mark: string;
  word: string;
  color: 'green' | 'red' | 'yellow' | 'blue' | 'cyan' | 'dim';
}

const taskWords: Record<TaskStatus, Word> = {
  PLANNED: { mark: '◇', word: 'planned', color: 'dim' },
  OPEN: { mark: '○', word: 'open', color: 'dim' },
  CLAIMED: { mark: '◔', word: 'claimed', color: 'yellow' },
  IN_PROGRESS: { mark: '●', word: 'running', color: 'cyan' },
  DONE: { mark: '⇄', word: 'verifying', color: 'blue' },
  CLOSED: { mark: '✔', word: 'landed', color: 'green' },
  FAILED: { mark: '✘', word: 'failed', color: 'red' },
  BLOCKED: { mark: '■', word: 'blocked', color: 'yellow' },
  WAITING_FOR_SUBTASKS: { mark: '◌', word: 'waits for subtasks', color: 'yellow' },
  CANCELLED: { mark: '⊘', word: 'cancelled', color: 'dim' },
  ORPHANED: { mark: '◐', word: 'orphaned', color: 'yellow' },
  PENDING_APPROVAL: { mark: '?', word: 'waits for approval', color: 'yellow' },
};

const runWords: Record<RunStatus | 'not_carried', Word> = {
  not_carried: { mark: '‖', word: 'not carried', color: 'red' },
  running: { mark: '●', word: 'running', color: 'cyan' },
  paused: { mark: '‖', word: 'paused', color: 'yellow' },
  waiting: { mark: '?', word: 'waits for a person', color: 'yellow' },
  stuck: { mark: '■', word: 'stuck', color: 'red' },
  done: { mark: '✔', word: 'done', color: 'green' },
  failed: { mark: '✘', word: 'failed', color: 'red' },
  cancelled: { mark: '⊘', word: 'cancelled', color: 'dim' },
};

/** The words for a task's state, as they stand on screen; `waits` is every kind of waiting. */
export const taskStatusNames: readonly string[] = [
  ...taskMachine.states.map((status) => taskWords[status].word),
  'waits',
];

/** The states that a word of the screen means, or a name in the API; empty for a word that means none. */
export function statusesNamed(text: string): TaskStatus[] {
  const plain = (word: string) =>
    word
      .trim()
      .toLowerCase()
      .replaceAll(/[\s_-]+/g, ' ');
  const named = plain(text);
  if (/^(waits|waiting)$/.test(named))
    return taskMachine.states.filter((status) => taskWords[status].word.startsWith('waits '));
  return taskMachine.states.filter((status) => [plain(status), taskWords[status].word].includes(named));
}

/** A task's state as a mark and a word. */
export function taskWord(status: TaskStatus, colors: Colors): string {
  const { mark, word, color } = taskWords[status];
  return colors[color](`${mark} ${word}`);
}

/** A run's state as a mark and a word. */
export function runWord(status: RunStatus | 'not_carried', colors: Colors): string {
  const { mark, word, color } = runWords[status];
  return colors[color](`${mark} ${word}`);
}
