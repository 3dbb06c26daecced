/** A running stand-in for model APIs. */
export interface FakeModelServer {
  /** Without a slash at its end. */
  url: string;
  port: number;
  /** What was asked so far, one entry a request. */
  requests: Record<string, unknown>[];
  setScript(script: unknown): void;
  close(): Promise<void>;
}

/** Starts the server on 127.0.0.1; port 0, and when left out, picks one. */
export function startFakeModelServer(options?: {
  script?: unknown;
  port?: number;
  log?: string;
  bodies?: string;
}): Promise<FakeModelServer>;
