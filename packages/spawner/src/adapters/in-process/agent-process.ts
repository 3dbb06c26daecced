import { fileURLToPath } from 'node:url';
import type { AgentContext } from '../../agent/adapter.ts';
import { startAgentProcess, type AgentProcess } from '../../supervise/agent-process.ts';
import { lineSplitter } from '../../process/lines.ts';
import { fromAgent, messageReader, type FromAgent, type ToAgent } from '../../in-process/protocol.ts';

/** A living process of an in-process agent. */
export interface MindProcess {
  readonly agent: AgentProcess;
  say(message: ToAgent): void;
  /** Receives what the process says; between tasks it is {@link noListener}. */
  listener: MindListener;
}

/** Who hears of what the process says. */
export interface MindListener {
  onMessage(message: FromAgent): void;
  /** Bytes came. */
  onSign(): void;
}

/** Hears nothing. */
export const noListener: MindListener = { onMessage: () => undefined, onSign: () => undefined };

/** From sources it needs the sources of the other packages, too. */
const fromSource = import.meta.url.endsWith('.ts');

function program(): [string, ...string[]] {
  // Bundled, everything lies in one folder; in the sources this file lies two folders below the program.
  const file = fileURLToPath(
    new URL(fromSource ? '../../in-process/agent-main.ts' : './agent-main.js', import.meta.url),
  );
  return [process.execPath, ...(fromSource ? ['--conditions=@baton/source'] : []), file];
}

/**
 * Starts the process. Variables that hold keys of models are left out of its environment: the one key it needs comes by message.
 *
 * @returns an error code when it cannot be started
 */
export async function startMindProcess(
  context: AgentContext,
  { without }: { without: readonly string[] },
): Promise<MindProcess | { error: string }> {
  const env = Object.fromEntries(Object.entries(context.env).filter(([name]) => !without.includes(name)));
  const agent = await startAgentProcess({ ...context, argv: program(), env });
  if ('error' in agent) return agent;
  const mind: MindProcess = {
    agent,
    say: (message) => void agent.stdin.write(`${JSON.stringify(message)}\n`),
    listener: noListener,
  };
  const read = messageReader(fromAgent, (message, line) => {
    if (message === null) context.log.write(`[not a message] ${line.slice(0, 500)}\n`);
    else mind.listener.onMessage(message);
  });
  agent.stdout.setEncoding('utf8');
  agent.stdout.on('data', (chunk: string) => {
    mind.listener.onSign();
    read(chunk);
  });
  const errors = lineSplitter((text) => context.log.write(text));
  agent.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  agent.stderr.on('end', () => errors.end());
  return mind;
}
