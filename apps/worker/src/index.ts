export { dropSettledCandidates } from './candidate-refs.ts';
export { createWorker, type Worker, type WorkerOptions } from './worker.ts';
export { defaultTiming, type Timing } from './context.ts';
export { keepRules, keepState } from './keep-within.ts';
export { createLog } from './log.ts';
export { projectState, type ProjectState } from './project-state.ts';
export { systemClock, systemIds } from './system.ts';
