import type { Real } from './driver.ts';
import type { World } from './world.ts';

/** What a command does to the store, and to the model. */
export type Perform = (world: World, real: Real, choice: Choice) => Promise<void>;

/** Chance, drawn beforehand so that a failing run can be shrunk. */
export interface Choice {
  /** Which of the candidates. */
  at: number;
  /** Which way it goes. */
  way: number;
}

/** Commands by name, with how often they are drawn. */
export type Commands = Record<string, [weight: number, perform: Perform]>;
