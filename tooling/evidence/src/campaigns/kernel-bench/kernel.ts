import { can, decide, moveTo, taskMachine, transition } from '@baton/fsm-core';
import type { DecisionOf, EventOf, Snapshot, TaskStatus } from '@baton/fsm-core';
import { checking } from './floors.ts';
import { entityId, type Keep, type Subject, who } from './subject.ts';
import type { Walk } from './walk.ts';

type Task = Snapshot<TaskStatus, null>;

/** The structural check. */
export function kernelCan(): Subject {
  return checking((from, event) => can(taskMachine, from, event));
}

/** The bare form, which also says where the move leads. */
export function kernelTransition(): Subject {
  return checking((from, event) => transition(taskMachine, from, event) !== from);
}

/** A full step by event, called as the README calls it. */
export function kernelDecide(keep: Keep): Subject {
  return stepping(keep, (task, { event }, at) =>
    decide(taskMachine, task, {
      id: entityId(at),
      type: event[at] as EventOf<typeof taskMachine>,
      actor: who.actor,
      reason: who.reason,
      at: who.at + at,
    }),
  );
}

/** The same without an id, so that the kernel puts one together. */
export function kernelDecideWithoutId(keep: Keep): Subject {
  return stepping(keep, (task, { event }, at) =>
    decide(taskMachine, task, {
      type: event[at] as EventOf<typeof taskMachine>,
      actor: who.actor,
      reason: who.reason,
      at: who.at + at,
    }),
  );
}

/** A full step by target. */
export function kernelMoveTo(keep: Keep): Subject {
  return stepping(keep, (task, { to }, at) =>
    moveTo(taskMachine, task, to[at] as TaskStatus, {
      id: entityId(at),
      actor: who.actor,
      reason: who.reason,
      at: who.at + at,
    }),
  );
}

/** A subject that takes every step of the walk with a task and keeps what was decided. */
function stepping(
  keep: Keep,
  step: (task: Task, walk: Walk, at: number) => DecisionOf<typeof taskMachine, null>,
): Subject {
  let passes = 0;
  const fresh = (at: number): Task => ({ entityId: entityId(at), state: 'OPEN', seq: 0, context: null });
  return {
    pass: (walk) => {
      let task = fresh((passes += 1));
      for (let at = 0; at < walk.from.length; at += 1) {
        const decision = step(task, walk, at);
        if (!decision.ok) return 0;
        task = decision.snapshot;
        keep(decision);
      }
      return task.state === 'OPEN' ? task.seq : 0;
    },
    instance: fresh,
  };
}
