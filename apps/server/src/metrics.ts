import { Counter, Gauge, Registry } from 'prom-client';
import type { ServerContext } from './context.ts';

/** Prometheus text of what the store knows. */
export interface Metrics {
  contentType: string;
  render(): Promise<string>;
}

/** Gauges that read the store when they are asked. */
export function createMetrics(ctx: ServerContext): Metrics {
  const registry = new Registry();
  const tasks = new Gauge({
    name: 'baton_tasks',
    help: 'Tasks by state.',
    labelNames: ['status'],
    registers: [registry],
  });
  const workers = new Gauge({
    name: 'baton_workers',
    help: 'Workers by status.',
    labelNames: ['status'],
    registers: [registry],
  });
  const sessions = new Gauge({
    name: 'baton_agent_sessions',
    help: 'Live agent sessions by execution state.',
    labelNames: ['state'],
    registers: [registry],
  });
  const feed = new Gauge({
    name: 'baton_feed_position',
    help: 'Newest numbered event of the feed.',
    registers: [registry],
  });
  const subscribers = new Gauge({
    name: 'baton_event_subscribers',
    help: 'Clients that follow the live events of this server.',
    registers: [registry],
  });
  const moves = new Counter({
    name: 'baton_events_total',
    help: 'Events seen since this server started: state reached, by machine.',
    labelNames: ['machine', 'to', 'kind'],
    registers: [registry],
  });
  return {
    contentType: registry.contentType,
    async render() {
      const [counts, nodes, live, position] = await Promise.all([
        ctx.store.counts(),
        ctx.store.workers(),
        ctx.store.sessions({ live: true }),
        ctx.store.feedPosition(),
      ]);
      tasks.reset();
      for (const [status, count] of Object.entries(counts)) tasks.set({ status }, count);
      workers.reset();
      for (const worker of nodes) workers.inc({ status: worker.status });
      sessions.reset();
      for (const session of live) sessions.inc({ state: session.executionState });
      feed.set(position);
      subscribers.set(ctx.events.size);
      moves.reset();
      for (const { total, ...labels } of ctx.counter.totals()) moves.inc(labels, total);
      return registry.metrics();
    },
  };
}
