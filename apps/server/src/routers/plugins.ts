import { router, viewer } from '../api/trpc.ts';

/** Loaded plugins with their health. */
export const pluginsRouter = router({
  report: viewer.query(({ ctx }) => ctx.plugins.report()),
});
