export type { AppRouter } from './router.ts';
export { startServer, type RunningServer } from './compose.ts';
export { readServerEnv, type ServerEnv } from './env.ts';
export { submitPlan, type PlanSubmission } from './submit-plan.ts';
export { createTasks, interceptDrafts } from './create-tasks.ts';
export { apiKeyName, hashApiKey, keyScope, makeApiKey, type KeyScope } from './keys.ts';
