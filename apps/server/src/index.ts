export type { AppRouter } from './routers/router.ts';
export { startServer, type RunningServer } from './compose.ts';
export { readServerEnv, type ServerEnv } from './env.ts';
export { submitPlan, type PlanSubmission } from './tasks/submit-plan.ts';
export { createTasks, interceptDrafts } from './tasks/create-tasks.ts';
export { apiKeyName, hashApiKey, keyScope, makeApiKey, type KeyScope } from './access/keys.ts';
