import type { Readable, Writable } from 'node:stream';
import type { AbortReason, AgentContext } from '../agent/adapter.ts';
import { openGuarded } from '../process/exec.ts';
import { killTree } from '../process/kill-tree.ts';
import type { ChildExit } from '../process/open-child.ts';
import { fullDisk } from '../process/full-disk.ts';
import { cpuTimeMs, groupMembers, markedProcesses, markerVariable } from '../process/process-table.ts';
import { recordProcess } from './process-records.ts';

/** One living process of an agent. */
export interface AgentProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly pid: number;
  readonly pidStarted: string | null;
  /** How it ended, once its output was read or could not be. */
  readonly exited: Promise<ChildExit>;
  /** Set when it is we who end it: its exit then says nothing about itself. */
  readonly endedBy: AbortReason | null;
  /** Notes that it is we who end it. The first reason counts. */
  blame(reason: AbortReason): void;
  /** SIGTERM, grace, SIGKILL, then everything that carries the marker; afterwards none is left. */
  kill(options?: { graceMs?: number }): Promise<void>;
  /** CPU milliseconds used so far by it and what belongs to it. */
  cpuMs(): number;
}

const drainMs = 1_000;

/**
 * Starts a process of an agent, marked, recorded and guarded against our own death; an error code when it cannot be.
 *
 * @throws what the file system says when it cannot be recorded: then it was ended; WORKSPACE_FAILED on a full disk
 */
export async function startAgentProcess(
  context: AgentContext,
  options: { env?: Readonly<Record<string, string>> } = {},
): Promise<AgentProcess | { error: string }> {
  const env = { ...context.env, ...options.env, [markerVariable]: context.marker };
  const child = await openGuarded(context.argv, { cwd: context.cwd, env });
  if ('error' in child) return child;
  const { pid, pidStarted, stdin, stdout, stderr } = child;
  const target = { pid, pidStarted, marker: context.marker };
  let record;
  try {
    record = recordProcess(context.stateDir, target);
  } catch (error) {
    await killTree(target, { graceMs: 0 }); // one that no later start could find must not run
    throw (context.stateDir === null ? null : fullDisk(context.stateDir, error)) ?? error;
  }

  let endedBy: AbortReason | null = null;
  const exited = child.exited.then(async ({ code, signal }) => {
    // A background tool may hold the output open without end.
    await Promise.race([child.drained, new Promise((resolve) => setTimeout(resolve, drainMs).unref())]);
    return { code, signal };
  });
  return {
    ...{ stdin, stdout, stderr, pid, pidStarted, exited },
    get endedBy() {
      return endedBy;
    },
    blame(reason) {
      endedBy ??= reason;
    },
    async kill({ graceMs = context.limits.graceMs } = {}) {
      const { left } = await killTree(target, { graceMs });
      // Until here it may have left something, which the next start looks for.
      if (left.length === 0) record.forget();
      await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, drainMs).unref())]);
      stdout.destroy();
      stderr.destroy();
    },
    cpuMs() {
      const pids = new Set([
        pid,
        ...groupMembers(pid).map((one) => one.pid),
        ...markedProcesses(context.marker).map((one) => one.pid),
      ]);
      return [...pids].reduce((sum, one) => sum + (cpuTimeMs(one) ?? 0), 0);
    },
  };
}
