import { fileURLToPath } from 'node:url';

/** What the fake agent is to do: see "The fake agent" in the README. */
export interface FakeScript extends FakeChoice {
  /** Steps by task key; for a task (or a prompt that mentions the key) they replace the script's own. */
  tasks?: Readonly<Record<string, FakeChoice>>;
  /** Signals that are ignored from the start, for example SIGTERM. */
  ignoreSignals?: readonly NodeJS.Signals[];
  /** How it behaves as an ACP agent, outside of prompts. */
  acp?: FakeAcpBehaviour;
}

/** Either one list of steps, or one list per attempt, of which later attempts take the last. */
export interface FakeChoice {
  steps?: readonly FakeStep[];
  attempts?: readonly (readonly FakeStep[])[];
}

/** Deviations of the ACP agent. Methods are named as on the wire, for example `session/new`. */
export interface FakeAcpBehaviour {
  /** Laid over the answer to `initialize`. */
  initialize?: Readonly<Record<string, unknown>>;
  /** Laid over the answer to `session/new`. */
  newSession?: Readonly<Record<string, unknown>>;
  /** Methods that are answered with an error. */
  failOn?: Readonly<Record<string, FakeRpcError>>;
  /** Methods that are never answered. */
  hangOn?: readonly string[];
  /** Methods on which the process ends with exit code 1. */
  exitOn?: readonly string[];
  /** Keeps living after its stdin was closed. */
  survivesStdinClose?: boolean;
}

/** An error of JSON-RPC. */
export interface FakeRpcError {
  /** -32603 when left out. */
  code?: number;
  message?: string;
  data?: unknown;
}

/** A tool call as the agent would report it. */
export interface FakeToolCall {
  title: string;
  /** `edit`, `execute`, `read`, … ; `other` when left out. */
  kind?: string;
  /** Where it ends: `completed` (when left out), `failed`, or `in_progress` for one that never ends. */
  status?: 'completed' | 'failed' | 'in_progress';
  locations?: readonly { path: string }[];
  content?: readonly unknown[];
}

/** Tokens and money of one model call; several in a turn are added up. */
export interface FakeUsage {
  /** Null is sent as null. */
  inputTokens?: number | null;
  outputTokens?: number | null;
  cachedReadTokens?: number;
  cachedWriteTokens?: number;
  thoughtTokens?: number;
  /** Reported cumulatively per session. */
  costUsd?: number;
  contextUsed?: number;
  contextSize?: number;
}

type Files = Readonly<Record<string, string>>;

/** One step: exactly one of these. Paths are relative to the worktree and may lead out of it. */
export type FakeStep =
  | { write: Files }
  | { append: Files }
  | { replace: { file: string; find: string; with: string } }
  | { delete: string | readonly string[] }
  | { commit: string }
  | { git: readonly string[] }
  | { plantFsmonitor: string }
  | { run: readonly string[] }
  | { grandchild: { pidFile?: string; ignoreSigterm?: boolean; keepsPipes?: boolean; sameSession?: boolean } }
  | { say: string }
  | { complain: string }
  | { raw: string }
  | { flood: { bytes: number; stream?: 'stdout' | 'stderr' } }
  | { splitUtf8: string }
  | { sleepMs: number }
  | { hang: true }
  | { spin: true }
  | { waitFor: string }
  | { ignoreSignals: readonly NodeJS.Signals[] }
  | { crash: NodeJS.Signals }
  | { exit: number }
  | { stop: string | { reason: string; meta?: unknown } }
  | { fail: FakeRpcError }
  | { record: string }
  | { think: string }
  | { update: Readonly<Record<string, unknown>> }
  | { toolCall: FakeToolCall }
  | { usage: FakeUsage }
  | {
      askPermission: {
        title: string;
        kind?: string;
        ifAllowed?: readonly FakeStep[];
        ifRejected?: readonly FakeStep[];
      };
    }
  | { ignoreCancel: true };

/** How {@link fakeAgent} is to be started. */
export interface FakeAgentOptions {
  /** The protocol it speaks: a plain program (when left out), or ACP over stdio. */
  speaks?: 'command' | 'acp';
  /** Where the script travels: in the arguments (when left out), or in the environment. */
  scriptIn?: 'argv' | 'env';
}

/** A launch line. */
export interface FakeAgentLaunch {
  argv: [string, ...string[]];
  /** Needed besides PATH; empty when the script is in the arguments. */
  env: Record<string, string>;
}

/** Gives the launch line of an agent, a real program, that does what the script says. */
export function fakeAgent(script: FakeScript, options: FakeAgentOptions = {}): FakeAgentLaunch {
  const program = fileURLToPath(new URL('../agents/fake-agent.mjs', import.meta.url));
  const text = JSON.stringify(script);
  const mode = options.speaks === 'acp' ? ['--acp'] : [];
  if (options.scriptIn === 'env') {
    return { argv: [process.execPath, program, ...mode], env: { BATON_FAKE_SCRIPT: text } };
  }
  return { argv: [process.execPath, program, ...mode, '--script', text], env: {} };
}
