export type { AppRouter } from './routers/router.ts';
export { startServer, type RunningServer } from './compose.ts';
export { readServerEnv, type ServerEnv } from './env.ts';
export { submitPlan, type PlanSubmission } from './work/submit-plan.ts';
export { createTasks, interceptDrafts } from './work/create-tasks.ts';
export { apiKeyName, hashApiKey, keyScope, makeApiKey, type KeyScope } from './access/keys.ts';
