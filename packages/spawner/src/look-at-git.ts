export { createExec } from './exec.ts';
export { createGit, requireGit } from './git.ts';
export { findRepository, inspectRepository, type RepositoryFacts } from './inspect-repository.ts';
