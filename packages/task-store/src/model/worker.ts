/** A registered node that claims work. */
export interface Worker {
  id: string;
  name: string;
  host: string;
  pid: number;
  pidStarted: string;
  /** Where its pid has a meaning: machine, boot and namespace of pids, as the worker names them. */
  bootId: string;
  capacity: number;
  labels: string[];
  version: string;
  /** Narrowed to one run (`baton run`), or null. */
  runId: string | null;
  status: 'online' | 'draining' | 'offline';
  heartbeatAt: Date;
  /** How long ago that was by the clock of the database when it answered; `heartbeatAt` says little against another clock. */
  silentMs: number;
  /** Agents that it cannot start at present. */
  withdrawn: WithdrawnAgent[];
}

/** An agent that a worker cannot start: not logged in, or its program is missing. */
export interface WithdrawnAgent {
  /** Name, as routes give it. */
  agent: string;
  /** Why, with what to do about it. */
  reason: string;
  /** When the worker tries it again; ISO 8601. */
  until: string;
}
