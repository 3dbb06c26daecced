import { bitTable, nestedMap, nestedObject } from './floors.ts';
import { kernelCan, kernelDecide, kernelDecideWithoutId, kernelMoveTo, kernelTransition } from './kernel.ts';
import { robotService, xstateActor, xstateTransition } from './peers.ts';
import type { Prelude } from './prelude.ts';
import type { Keep, Subject } from './subject.ts';

/** What is measured, by the name that tables show. */
export const subjects = {
  'nested object': nestedObject,
  'nested Map': nestedMap,
  'bit table, numbers for names': bitTable,
  'fsm-core can': kernelCan,
  'fsm-core transition, bare state': kernelTransition,
  'fsm-core decide': kernelDecide,
  'fsm-core decide, without an id': kernelDecideWithoutId,
  'fsm-core moveTo': kernelMoveTo,
  'xstate actor.send': xstateActor,
  'xstate transition()': xstateTransition,
  'robot3 service.send': robotService,
} as const satisfies Record<string, (keep: Keep) => Subject>;

/** Name of a subject. */
export type SubjectName = keyof typeof subjects;

/** A subject in a process that got to know the kernel in one way. */
export interface Contestant {
  subject: SubjectName;
  prelude: Prelude;
}

/** Everyone who is measured. Peers need no prelude: nobody else runs through their code. */
export const contestants: readonly Contestant[] = [
  ...(Object.keys(subjects) as SubjectName[]).map((subject): Contestant => ({ subject, prelude: 'none' })),
  { subject: 'fsm-core can', prelude: 'machines' },
  { subject: 'fsm-core decide', prelude: 'machines' },
  { subject: 'fsm-core decide, without an id', prelude: 'machines' },
  { subject: 'fsm-core moveTo', prelude: 'machines' },
  { subject: 'fsm-core can', prelude: 'shapes' },
  { subject: 'fsm-core decide', prelude: 'shapes' },
];
