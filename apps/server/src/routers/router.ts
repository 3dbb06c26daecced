import { agentsRouter } from './agents.ts';
import { approvalsRouter } from './approvals.ts';
import { authRouter } from './auth.ts';
import { costsRouter } from './costs.ts';
import { eventsRouter } from './events.ts';
import { observabilityRouter } from './observability.ts';
import { plansRouter } from './plans.ts';
import { pluginsRouter } from './plugins.ts';
import { qualityRouter } from './quality.ts';
import { runsRouter } from './runs.ts';
import { statusRouter } from './status.ts';
import { tasksRouter } from './tasks.ts';
import { triggersRouter } from './triggers.ts';
import { trustRouter } from './trust.ts';
import { workersRouter } from './workers.ts';
import { router } from '../api/trpc.ts';

/** Everything that the server offers. */
export const appRouter = router({
  agents: agentsRouter,
  approvals: approvalsRouter,
  auth: authRouter,
  costs: costsRouter,
  events: eventsRouter,
  observability: observabilityRouter,
  plans: plansRouter,
  plugins: pluginsRouter,
  quality: qualityRouter,
  runs: runsRouter,
  status: statusRouter,
  tasks: tasksRouter,
  triggers: triggersRouter,
  trust: trustRouter,
  workers: workersRouter,
});

/** The typed contract for tRPC clients. */
export type AppRouter = typeof appRouter;
