import { agentsRouter } from './routers/agents.ts';
import { approvalsRouter } from './routers/approvals.ts';
import { authRouter } from './routers/auth.ts';
import { costsRouter } from './routers/costs.ts';
import { eventsRouter } from './routers/events.ts';
import { observabilityRouter } from './routers/observability.ts';
import { plansRouter } from './routers/plans.ts';
import { pluginsRouter } from './routers/plugins.ts';
import { qualityRouter } from './routers/quality.ts';
import { runsRouter } from './routers/runs.ts';
import { statusRouter } from './routers/status.ts';
import { tasksRouter } from './routers/tasks.ts';
import { triggersRouter } from './routers/triggers.ts';
import { trustRouter } from './routers/trust.ts';
import { workersRouter } from './routers/workers.ts';
import { router } from './trpc.ts';

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
