import type { Store } from '@baton/task-store';
import type { Blow } from './history.ts';

/** A blow that fell. */
export interface Struck {
  step: string;
  moment: Blow['moment'];
  how: Blow['how'];
}

/** Counts the steps of one holder, and lets a blow fall at the one that it is meant for. */
export interface Stepper {
  /** From now on steps are counted for this blow; null: for none. */
  arm(blow: Blow | null): void;
  /** Makes a step, which may be struck before, while or after it is made. */
  around<T>(step: string, make: () => Promise<T>): Promise<T>;
  /** The blow that is due at this step; it is counted, and due once. */
  due(step: string): Blow | null;
}

/** @param strike Lets the blow fall; what it gives is waited for. */
export function createStepper(strike: (blow: Blow, step: string) => Promise<void> | void): Stepper {
  let armed: Blow | null = null;
  let passed = 0;
  let isSince = false;
  const due = (step: string): Blow | null => {
    if (armed === null) return null;
    if (!isSince) {
      isSince = armed.since === null || step.includes(armed.since);
      if (armed.since !== null) return null;
    }
    if (armed.step !== null && !step.includes(armed.step)) return null;
    passed += 1;
    if (passed !== armed.passage) return null;
    const blow = armed;
    armed = null;
    return blow;
  };
  return {
    arm(blow) {
      armed = blow;
      passed = 0;
      isSince = false;
    },
    due,
    async around(step, make) {
      const blow = due(step);
      if (blow?.moment === 'before') await strike(blow, step);
      if (blow?.moment === 'middle') setTimeout(() => void strike(blow, step), blow.delayMs);
      const made = await make();
      if (blow?.moment === 'after') await strike(blow, step);
      return made;
    },
  };
}

/** Calls of a landing; what a worker polls with is no step. */
const steps = {
  lanes: [
    ...(['acquire', 'renew', 'release', 'takeForLanding', 'headMissed', 'headFound', 'findVerdict'] as const),
    ...(['saveVerdict', 'writeIntents', 'openIntents', 'confirm', 'abandon', 'noteWait'] as const),
  ],
  claims: ['record'],
  tasks: ['landings', 'get'],
  runs: ['settle', 'repo', 'pause'],
  trust: ['of'],
} as const;

/** A store whose calls are steps, all of which wait while `held` gives something to wait for. */
export function withSteps(store: Store, stepper: Stepper, held: () => Promise<void> | null): Store {
  const part = <Name extends keyof typeof steps>(name: Name): Store[Name] => {
    const own = store[name] as unknown as Record<string, unknown>;
    const calls = Object.entries(own).map(([call, make]) => {
      const isStep = (steps[name] as readonly string[]).includes(call);
      const wrapped = async (...given: unknown[]): Promise<unknown> => {
        await held();
        const act = () => (make as (...values: unknown[]) => Promise<unknown>)(...given);
        return isStep ? stepper.around(`${name}.${call}`, act) : act();
      };
      return [call, typeof make === 'function' ? wrapped : make] as const;
    });
    return Object.fromEntries(calls) as unknown as Store[Name];
  };
  return {
    ...store,
    ...{ lanes: part('lanes'), claims: part('claims'), tasks: part('tasks'), runs: part('runs') },
    trust: part('trust'),
  };
}
