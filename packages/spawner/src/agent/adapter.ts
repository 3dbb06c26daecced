import type { AgentEvent, Clock, Effort } from '@baton/contracts';
import { ABORT_REASONS, type AbortReason } from '@baton/fsm-core';
import type { EventQueue } from './event-queue.ts';
import type { SessionLog } from './session-log.ts';
import type { TaskHandlers } from './handlers.ts';

/** The event that ends one task of an agent. */
export type Finished = Extract<AgentEvent, { type: 'finished' }>;

/** Why an agent did not end by itself or not well. Source: docs/spec/kernel.md#abort-reasons-binding. */
export const abortReasons = ABORT_REASONS;
export type { AbortReason };

/** Bounds of one agent session. */
export interface AgentLimits {
  /** The whole session, from its first process on; 30 min by default. */
  lifetimeMs: number;
  /** Without a sign of life (output, CPU time) for so long an agent counts as hung; 900 s by default. */
  silenceMs: number;
  /** Between SIGTERM and SIGKILL; 3 s by default. */
  graceMs: number;
  /** Bytes of log kept on disk; 16 MiB by default. */
  maxLogBytes: number;
}

/** What an agent without a protocol finds in the file that `BATON_TASK_FILE` names. */
export interface TaskFile {
  id: string;
  key: string;
  title: string;
  goal: string;
  /** Path prefixes that the task owns. */
  files: readonly string[];
  /** 1 for the first. */
  attempt: number;
  /** Reasons of earlier refusals, newest last. */
  rejections: readonly string[];
}

/** One task for an agent. */
export interface TaskRequest {
  prompt: string;
  taskFile: TaskFile;
  timeoutMs: number;
  /** Ends the task when aborted; `signal.reason` may be an {@link AbortReason}. */
  signal?: AbortSignal;
}

/** A tool call that an agent asks leave for. Its text is from outside. */
export interface PermissionRequest {
  title: string;
  /** Kind of tool as the protocol names it: edit, execute, read, … */
  kind: string;
  /** Absolute paths it touches, as far as the agent says. */
  paths: readonly string[];
}

/** The ways there are to run an agent. */
export type AdapterName = 'command' | 'acp' | 'in-process';

/** One agent session: works through the tasks of a batch, one at a time. */
export interface AgentRunner {
  readonly adapter: AdapterName;
  /**
   * Works through one task. How the agent ended is the outcome, never an error.
   *
   * @throws what a handler threw, after the agent was ended.
   */
  runTask(request: TaskRequest, handlers?: TaskHandlers): Promise<Finished>;
  /**
   * Stops one tool call that is under way; the agent continues with what that call came to.
   *
   * @returns Whether the agent could: else only its whole task can be stopped (`ABORT_UNSUPPORTED`).
   */
  abortTool(toolId: string): boolean;
  /** Ends the session; afterwards none of its processes is left. Safe to call at any time, also twice. */
  close(): Promise<{ exitCode: number | null; abortReason: AbortReason | null }>;
}

/** What an agent of some kind can do; what it cannot has a defined fallback. Source: docs/spec/agents.md#adapters. */
export interface AgentCapabilities {
  /** Whether one process takes several prompts; else there is one process for each task. */
  manyPrompts: boolean;
  /** Whether it asks before it uses a tool; else everything within its worktree is allowed. */
  permissionRequests: boolean;
  /** Whether a prompt can be cancelled by protocol; else by signal. */
  cancel: boolean;
  /** Smallest stretch of work whose tokens the agent reports. */
  usage: 'event' | 'turn' | 'none';
  /** Whether one tool call can be stopped while the agent continues. */
  abortTool: boolean;
}

/** Decides whether an agent may do what it asks for. One that rejects denies. */
export type PermissionPolicy = (request: PermissionRequest) => 'allow' | 'deny' | Promise<'allow' | 'deny'>;

/** What every adapter works with. */
export interface AgentContext {
  name: string;
  argv: readonly [string, ...string[]];
  cwd: string;
  taskFileDir: string;
  /** Complete but for Baton's own variables. */
  env: Readonly<Record<string, string>>;
  marker: string;
  clock: Clock;
  limits: AgentLimits;
  log: SessionLog;
  redact: (text: string) => string;
  permission: PermissionPolicy;
  model: string | null;
  /** Reasoning effort, where the agent has such a setting; null: as it is set. */
  effort: Effort | null;
  mode: string | null;
  /** Where living processes are recorded for the sweep after a crash; null: nowhere. */
  stateDir: string | null;
  /** Puts events in order and hands them on. */
  openQueue(handlers: TaskHandlers): EventQueue;
}

/** A way to run agents. */
export interface AgentAdapter {
  readonly name: AdapterName;
  readonly capabilities: AgentCapabilities;
  open(context: AgentContext): AgentRunner;
}
