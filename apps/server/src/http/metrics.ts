import { taskMachine } from '@baton/fsm-core';
import { Counter, Gauge, Registry } from 'prom-client';
import type { ServerContext } from '../api/context.ts';

/** Prometheus text of what the store knows. */
export interface Metrics {
  contentType: string;
  render(): Promise<string>;
}

/** Gauges that read the store when they are asked, and what this server counted itself. */
export function createMetrics(ctx: ServerContext): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers });
  const tasks = gauge('baton_tasks', 'Tasks by state.', ['status']);
  const ready = gauge('baton_tasks_ready', 'Tasks that a worker could claim now.');
  const workers = gauge('baton_workers', 'Workers by status.', ['status']);
  const sessions = gauge('baton_agent_sessions', 'Live agent sessions by execution state.', ['state']);
  const feed = gauge('baton_feed_position', 'Newest numbered event of the feed.');
  const behind = gauge('baton_feed_unnumbered', 'Committed events that are not numbered yet.');
  const subscribers = gauge('baton_event_subscribers', 'Clients that follow the live events of this server.');
  const events = new Counter({
    name: 'baton_events_total',
    help: 'Events that this server saw since it started, by machine and state reached.',
    labelNames: ['machine', 'to', 'kind'],
    registers,
  });
  return {
    contentType: registry.contentType,
    async render() {
      const [counts, nodes, live, position] = await Promise.all([
        ctx.store.audit.counts(),
        ctx.store.workers.list(),
        ctx.store.tasks.sessions({ live: true }),
        ctx.store.feed.position(),
      ]);
      for (const status of taskMachine.states) tasks.set({ status }, counts[status] ?? 0);
      ready.set(counts['ready'] ?? 0);
      workers.reset();
      for (const node of nodes) workers.inc({ status: node.status });
      sessions.reset();
      for (const session of live) sessions.inc({ state: session.executionState });
      feed.set(position);
      behind.set(counts['unsequencedEvents'] ?? 0);
      subscribers.set(ctx.events.size);
      events.reset();
      for (const { total, ...labels } of ctx.counter.totals()) events.inc(labels, total);
      return registry.metrics();
    },
  };
}
