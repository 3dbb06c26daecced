export { projectState, type ProjectState } from './project-state.ts';
export { systemClock, systemIds } from './system.ts';
