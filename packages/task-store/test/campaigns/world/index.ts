export type { Size } from './rows.ts';
export { apartTasks, sizeA, sizeB } from './sizes.ts';
export { isSettled, stepsOf, worldModel } from './world.ts';
