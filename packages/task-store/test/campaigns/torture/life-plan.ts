import type { TaskDraft } from '@baton/contracts';
import type { TaskStatus } from '@baton/fsm-core';
import { draft, runDraft } from '../../support/builders.ts';
import type { RunDraft } from '../../../src/index.ts';

/** What becomes of a task of the life, and how many of its tries count, wherever its processes are killed. */
export interface Fate {
  status: TaskStatus;
  tries: number;
  /** Where it may end as well: a cancel meets a task wherever the kill has left it. */
  or?: TaskStatus;
}

const files = (...names: string[]): Partial<TaskDraft> => ({ files: names, maxCostMicroUsd: 100 });

/** The tasks: between them they take every way that the store knows. */
export const lifeTasks: readonly TaskDraft[] = [
  draft('base', files('src/base.ts')),
  draft('after', { ...files('src/after.ts'), dependsOn: ['base'] }),
  draft('waits', files('docs/waits.md')),
  draft('rejected', { ...files('lib/rejected.ts'), scope: 'large' }),
  draft('conflict', { ...files('lib/conflict.ts'), scope: 'large' }),
  draft('failing', { maxRetries: 0, scope: 'large' }),
  draft('approved', { approval: true }),
  draft('denied', { approval: true, maxRetries: 0 }),
  draft('called-off', { notBefore: '2999-01-01T00:00:00.000Z' }),
  draft('with-it', { dependsOn: ['called-off'] }),
  draft('stopped', { scope: 'large' }),
  draft('big', { scope: 'large' }),
  draft('blocked', { scope: 'large' }),
  draft('orphan', { scope: 'large' }),
  draft('finished-orphan', { scope: 'large' }),
  draft('set-up', { scope: 'large' }),
  draft('given-back', { scope: 'large' }),
  draft('unwanted'),
];

/** Where each task ends. Tries: a kill of a supervisor never costs one. */
export const fates: Readonly<Record<string, Fate>> = {
  base: { status: 'CLOSED', tries: 0 },
  after: { status: 'CLOSED', tries: 0 },
  waits: { status: 'CLOSED', tries: 0 },
  rejected: { status: 'CLOSED', tries: 1 },
  conflict: { status: 'CLOSED', tries: 0 },
  failing: { status: 'CLOSED', tries: 1 },
  approved: { status: 'CLOSED', tries: 0 },
  denied: { status: 'FAILED', tries: 0 },
  'called-off': { status: 'CANCELLED', tries: 0 },
  'with-it': { status: 'CANCELLED', tries: 0 },
  stopped: { status: 'CANCELLED', tries: 0, or: 'FAILED' },
  big: { status: 'CLOSED', tries: 0 },
  'big-part': { status: 'CLOSED', tries: 0 },
  blocked: { status: 'CLOSED', tries: 0 },
  orphan: { status: 'CLOSED', tries: 1 },
  'finished-orphan': { status: 'CLOSED', tries: 0 },
  'set-up': { status: 'CLOSED', tries: 0 },
  'given-back': { status: 'CLOSED', tries: 0 },
  unwanted: { status: 'CANCELLED', tries: 0 },
};

/** Money that the run may spend; what is booked for one attempt. */
export const capMicroUsd = 1_000_000;
export const costMicroUsd = 7;

/** The run. */
export function lifeRun(): RunDraft {
  return runDraft([...lifeTasks], {
    slug: 'life',
    repo: { location: 'https://example.org/life.git', host: null },
    target: 'baton/life',
    maxAgents: 4,
    budgetMicroUsd: capMicroUsd,
  });
}
