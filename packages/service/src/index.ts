export { accountHome, accountName } from './account.ts';
export { createLog } from './log.ts';
export { keepOwnersRights, makeStateFolder, stateFolder } from './state-folder.ts';
export { systemClock, systemIds } from './system.ts';
export { startTicker, type Ticker } from './ticker.ts';
