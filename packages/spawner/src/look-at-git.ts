export { createExec } from './exec.ts';
export { createGit, requireGit } from './git.ts';
export { inspectRepository, type RepositoryFacts } from './inspect-repository.ts';
