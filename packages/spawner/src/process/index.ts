export { isAlive, processStart, type ProcessRef } from './process-table.ts';
