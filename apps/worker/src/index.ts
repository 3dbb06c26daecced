export { dropSettledCandidates } from './candidate-refs.ts';
export { createWorker, type Worker, type WorkerOptions } from './worker.ts';
export { endOf } from './base-look.ts';
export { proveBase, type BaseProof, type ProveBaseOptions } from './prove-base.ts';
export { defaultTiming, type Timing } from './context.ts';
export { keepRules, keepState } from './keep-within.ts';
export { createLog } from './log.ts';
export { projectState, type ProjectState } from './project-state.ts';
export { systemClock, systemIds } from './system.ts';
