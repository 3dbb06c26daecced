import { limitMarks } from '@baton/spawner';
import type { Check } from './checks.ts';

/** How processes that an agent leaves running are found here. */
export const checkProcesses: Check = () => {
  const marks = limitMarks();
  const text = marks.works
    ? 'what an agent leaves running is found by marks in its environment and in its resource limits'
    : `what an agent leaves running is found by a mark in its environment alone (${marks.why}); a process that leaves its session and clears its environment outlives it`;
  return Promise.resolve({ name: 'processes', status: 'ok', text });
};
