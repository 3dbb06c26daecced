export { createLog } from './log.ts';
export { keepOwnersRights, makeStateFolder } from './state-folder.ts';
export { systemClock, systemIds } from './system.ts';
export { startTicker, type Ticker } from './ticker.ts';
