import childProcess, { type ChildProcess } from 'node:child_process';
import { promisify } from 'node:util';

import { isAt, type CrashGate } from './crash-points-gate.ts';
import { gitWriter, reachedPoint, type CrashCatalogue } from './crash-points-names.ts';
import type { CrashStrike } from './crash-points.ts';

type Anything = (...args: unknown[]) => unknown;

/** Wraps the starting and signalling of processes. */
export function watchProcesses(gate: CrashGate, catalogue: CrashCatalogue): void {
  const callers = childProcess as unknown as Record<string, Anything>;
  const enter = (args: unknown[]): CrashStrike | null => {
    const kind = kindOf(args);
    const point = kind === null ? null : reachedPoint(kind, catalogue);
    const strike = point === null ? null : gate.pass(point, { hasMiddle: true });
    if (isAt(strike, 'before')) gate.strike(strike);
    return strike;
  };
  const follow = (strike: CrashStrike | null, child: ChildProcess) => {
    if (isAt(strike, 'middle')) setTimeout(() => gate.strike(strike), strike.delayMs);
    if (isAt(strike, 'after')) child.prependOnceListener('exit', () => gate.strike(strike));
  };
  const { spawn, execFile } = callers;
  callers['spawn'] = (...args) => {
    const strike = enter(args);
    const child = spawn?.(...args) as ChildProcess;
    follow(strike, child);
    if (child.channel) watchOrders(child, { gate, enter });
    return child;
  };
  callers['execFile'] = (...args) => {
    const strike = enter(args);
    const child = execFile?.(...args) as ChildProcess;
    follow(strike, child);
    return child;
  };
  const promised = (execFile as unknown as Record<symbol, Anything>)[promisify.custom];
  Object.defineProperty(callers['execFile'], promisify.custom, {
    value: (...args: unknown[]) => {
      const strike = enter(args);
      const result = promised?.(...args) as Promise<unknown> & { child: ChildProcess };
      follow(strike, result.child);
      return result;
    },
  });
  watchSignals(gate, catalogue);
}

/** What is started for us by a process that takes orders counts as started here. */
function watchOrders(
  child: ChildProcess,
  { gate, enter }: { gate: CrashGate; enter: (args: unknown[]) => CrashStrike | null },
): void {
  const send = child.send.bind(child) as Anything;
  child.send = ((...args: unknown[]) => {
    const [message] = args;
    if (!isOrder(message)) return send(...args);
    const strike = enter([message.order.file, message.order.args]);
    const sent = send(...args);
    if (isAt(strike, 'middle')) setTimeout(() => gate.strike(strike), strike.delayMs);
    if (isAt(strike, 'after'))
      child.prependListener('message', (told: unknown) => {
        if (isEndOf(told, message.id)) gate.strike(strike);
      });
    return sent;
  }) as ChildProcess['send'];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const isOrder = (
  message: unknown,
): message is { id: unknown; order: { file: string; args: readonly string[] } } =>
  isRecord(message) && isRecord(message['order']) && typeof message['order']['file'] === 'string';

const isEndOf = (told: unknown, id: unknown): boolean => isRecord(told) && told['id'] === id && 'end' in told;

function watchSignals(gate: CrashGate, catalogue: CrashCatalogue): void {
  const kill = process.kill.bind(process);
  process.kill = (pid, signal) => {
    const point = signal === 0 ? null : reachedPoint('kill', catalogue);
    const strike = point === null ? null : gate.pass(point, { hasMiddle: false });
    if (isAt(strike, 'before')) gate.strike(strike);
    const result = kill(pid, signal);
    if (isAt(strike, 'after')) gate.strike(strike);
    return result;
  };
}

/** `git:fetch` for a git that writes, null for one that reads, `spawn` for any other program. */
function kindOf(args: unknown[]): string | null {
  const [file, argv] = args as [string, unknown];
  const words = Array.isArray(argv) ? argv.map(String) : [];
  if (!/(^|\/)git$/.test(file)) return 'spawn';
  let at = 0;
  while (words[at]?.startsWith('-')) at += /^(-c|-C|--git-dir|--work-tree)$/.test(words[at] ?? '') ? 2 : 1;
  const writer = gitWriter(words.slice(at));
  return writer === null ? null : `git:${writer}`;
}
