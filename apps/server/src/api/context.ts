import type { Clock, Ids, Log } from '@baton/contracts';
import type { PluginBus } from '@baton/plugins';
import type { RunDefaults, Store } from '@baton/task-store';
import type { HeadCheck } from '../tasks/check-head.ts';
import type { EventCounter } from '../events/event-counter.ts';
import type { EventHub } from '../events/event-hub.ts';
import type { RepoPlace } from '../tasks/repo-place.ts';
import type { Triggers } from '../triggers/open-triggers.ts';
import type { Seats, Turns } from '../events/turns.ts';

/** What the server's parts work with; made once, at the start. */
export interface ServerContext {
  store: Store;
  clock: Clock;
  ids: Ids;
  log: Log;
  plugins: PluginBus;
  triggers: Triggers;
  events: EventHub;
  counter: EventCounter;
  /** Live secrets of the generic webhook; none: every webhook is refused. */
  webhookSecrets: readonly string[];
  /** Looks at commits that are named over HTTP. */
  heads: HeadCheck;
  version: string;
  /** Settings that the operator pinned for a repository; null: none. */
  pinnedFor: (repo: RepoPlace) => RunDefaults | null;
  /** Whose calls run now and whose wait. */
  turns: Turns;
  /** Live feeds of each key. */
  feeds: Seats;
}

/** The context of one request: the server's, and whose key came with it. */
export interface RequestContext extends ServerContext {
  /** Null: no valid key. */
  key: { id: string; name: string; scopes: string[] } | null;
  /** That key as it was within the last second, null once it was revoked: asked by what comes long after the request's beginning. */
  keyNow: () => Promise<RequestContext['key']>;
  /** Ends the connection that the request came over. */
  disconnect: () => void;
}
