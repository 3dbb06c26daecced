export { projectState, type ProjectState } from '../process/project-state.ts';
export { systemClock, systemIds } from '../process/system.ts';
