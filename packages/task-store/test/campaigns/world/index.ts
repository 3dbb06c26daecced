export { violations } from './invariants.ts';
export { keyOf } from './key.ts';
export type { AttemptRow, Job, Message, SessionRow, Size, TaskPlan, TaskRow, Worker, World } from './rows.ts';
export { apartTasks, sizeA, sizeB, sizeSmall } from './sizes.ts';
export { isSettled, startWorld, stepsOf, worldModel } from './world.ts';
