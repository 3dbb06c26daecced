import type { AgentDefinition, Clock, Effort } from '@baton/contracts';
import { acpAdapter } from '../adapters/acp/adapter.ts';
import { commandAdapter } from '../adapters/command.ts';
import { inProcessAdapter } from '../adapters/in-process/adapter.ts';
import type {
  AgentAdapter,
  AgentContext,
  AgentLimits,
  AgentRunner,
  PermissionPolicy,
} from '../agent/adapter.ts';
import { eventQueue } from '../agent/event-queue.ts';
import { insideOnly } from '../agent/inside-worktree.ts';
import { builtinAgent } from '../agent/registry.ts';
import { openSessionLog } from '../agent/session-log.ts';

/** Bounds where the caller names none. Source: docs/spec/agents.md#supervision. */
export const defaultAgentLimits: AgentLimits = {
  lifetimeMs: 30 * 60_000,
  silenceMs: 900_000,
  graceMs: 3_000,
  maxLogBytes: 16 * 1024 * 1024,
};

/** What {@link openAgent} needs. */
export interface OpenAgentOptions {
  /** Name of the agent, for messages. */
  name: string;
  /** Null: the agent that Baton knows under this name. */
  definition: AgentDefinition | null;
  /** Another adapter than the one that the definition asks for. */
  adapter?: AgentAdapter;
  /** Where it works; `env.BATON_PORT_BASE` is set from it. */
  workspace: { path: string; taskFileDir: string; portBase: number };
  /** Complete environment, see {@link agentEnvironment}; Baton's own variables are added. */
  env: Readonly<Record<string, string>>;
  /** Unique text that every process of the session carries. */
  marker: string;
  clock: Clock;
  limits?: Partial<AgentLimits>;
  /** Absolute path of the session's log; null: none. */
  logFile: string | null;
  redact: (text: string) => string;
  /** Answers an agent that asks; when left out, what it says is outside of its worktree is denied. */
  permission?: PermissionPolicy;
  /** Model that the router chose; null: the definition's, or the agent's own. */
  model?: string | null;
  /** Reasoning effort; a setting that an agent does not offer stays as it is. */
  effort?: Effort | null;
  /** Baton's state folder, for the record that {@link orphanSweep} reads; left out: no record. */
  stateDir?: string;
}

/**
 * Opens a session of an agent. Nothing is started before its first task.
 *
 * @throws AGENT_UNKNOWN
 */
export function openAgent(options: OpenAgentOptions): AgentRunner {
  const { adapter, context } = agentContext(options);
  const { log } = context;
  const runner = adapter.open(context);
  return {
    adapter: runner.adapter,
    abortTool: (toolId) => runner.abortTool(toolId),
    runTask: (request, taskHandlers) => runner.runTask(request, taskHandlers).finally(() => log.flush()),
    close: () => runner.close().finally(() => log.flush()),
  };
}

/** What an adapter works with, and the adapter. @throws AGENT_UNKNOWN */
export function agentContext(options: OpenAgentOptions): { adapter: AgentAdapter; context: AgentContext } {
  const { workspace, redact, env } = options;
  const definition = options.definition ?? builtinAgent(options.name);
  const limits = { ...defaultAgentLimits, ...options.limits };
  const isAcp = 'acp' in definition;
  const [program = '', ...args] = argvOf(definition);
  const adapter = options.adapter ?? adapterOf(definition);
  const log = openSessionLog({ file: options.logFile, maxBytes: limits.maxLogBytes, redact });
  const context: AgentContext = {
    name: options.name,
    argv: [program, ...args],
    cwd: workspace.path,
    taskFileDir: workspace.taskFileDir,
    env: { ...env, BATON_PORT_BASE: String(workspace.portBase) },
    marker: options.marker,
    clock: options.clock,
    limits,
    log,
    redact,
    permission: options.permission ?? insideOnly(workspace.path),
    model: options.model ?? modelOf(definition),
    effort: options.effort ?? null,
    mode: isAcp ? (definition.mode ?? null) : null,
    stateDir: options.stateDir ?? null,
    openQueue: (handlers) => eventQueue({ handlers, redact }),
  };
  return { adapter, context };
}

function argvOf(definition: AgentDefinition): readonly string[] {
  if ('in_process' in definition) return [process.execPath];
  return 'acp' in definition ? definition.acp : definition.command;
}

function adapterOf(definition: AgentDefinition): AgentAdapter {
  if ('in_process' in definition) return inProcessAdapter(definition);
  return 'acp' in definition ? acpAdapter : commandAdapter;
}

function modelOf(definition: AgentDefinition): string | null {
  if ('in_process' in definition) return definition.in_process;
  return 'acp' in definition ? (definition.model ?? null) : null;
}
