export { projectState, type ProjectState } from '../process/project-state.ts';
