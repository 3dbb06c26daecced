import { spawn, type ChildProcess } from 'node:child_process';

import { fakeAgent, type FakeAgentOptions, type FakeScript } from '../src/index.ts';

/** How {@link runAgent} runs the agent. */
export interface RunAgentOptions {
  cwd: string;
  prompt?: string;
  env?: Record<string, string>;
  launch?: FakeAgentOptions;
}

/** Starts the fake agent. */
export function startAgent(script: FakeScript, options: RunAgentOptions): ChildProcess {
  const { argv, env } = fakeAgent(script, options.launch);
  const child = spawn(argv[0], argv.slice(1), {
    ...{ cwd: options.cwd, env: { PATH: process.env['PATH'] ?? '', ...env, ...options.env } },
  });
  if (options.prompt !== undefined) child.stdin?.end(options.prompt);
  return child;
}

/** Runs the fake agent to its end. */
export async function runAgent(script: FakeScript, options: RunAgentOptions) {
  const child = startAgent(script, { prompt: '', ...options });
  const out: Buffer[] = [];
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [exitCode, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.once('close', (code, name) => resolve([code, name])),
  );
  return { exitCode, signal, stdout: Buffer.concat(out).toString(), stderr };
}
