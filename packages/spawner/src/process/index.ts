export { isAlive, processStart, type ProcessRef } from './process-table.ts';
export { isKnownDead, isOtherSpace, ownSpace } from './lock-space.ts';
