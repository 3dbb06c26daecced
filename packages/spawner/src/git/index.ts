export { createExec } from '../process/exec.ts';
export { createGit, requireGit } from './git.ts';
export { findRepository, inspectRepository, type RepositoryFacts } from './inspect-repository.ts';
