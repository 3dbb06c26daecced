import childProcess, { type ChildProcess } from 'node:child_process';
import { writeSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { Blow } from './history.ts';
import { createStepper, type Stepper } from './steps.ts';

type Anything = (...args: unknown[]) => unknown;
const { kill } = process;

/** Pids of programs that are at work for this process, as far as it was told. */
const atWork = new Map<unknown, number>();

/** The steps of this process; a blow is a signal to it. */
export const stepper: Stepper = createStepper(strike);

/** Says what falls, so that whoever watches knows whom to continue, and lets it fall. */
function strike({ how, moment }: Blow, step: string): void {
  const also = how === 'freeze' ? [...atWork.values()].filter(freeze) : [];
  writeSync(1, `${JSON.stringify({ step, moment, how, also })}\n`);
  kill.call(process, process.pid, how === 'kill' ? 'SIGKILL' : 'SIGSTOP');
}

function freeze(pid: number): boolean {
  try {
    return kill.call(process, pid, 'SIGSTOP');
  } catch {
    return false; // it has ended
  }
}

/** `git update-ref --stdin`: a command with its first option; or the program's name. */
function nameOf(file: unknown, args: unknown): string {
  const name = String(file).replace(/^.*\//, '');
  const words = Array.isArray(args) ? args.map(String) : [];
  if (name !== 'git') return name;
  let at = 0;
  while (words[at]?.startsWith('-')) at += /^(-c|-C|--git-dir|--work-tree)$/.test(words[at] ?? '') ? 2 : 1;
  const [command = '', option = ''] = words.slice(at);
  return option.startsWith('--') ? `git ${command} ${option.replace(/=.*/, '')}` : `git ${command}`;
}

/** Makes each start of a program a step: those of this process, and those that its helper starts for it. */
export function watchPrograms(): void {
  const callers = childProcess as unknown as { spawn: Anything };
  const { spawn } = callers;
  callers.spawn = (...args: unknown[]) => {
    const step = nameOf(args[0], args[1]);
    const blow = stepper.due(step);
    if (blow?.moment === 'before') strike(blow, step);
    const child = spawn(...args) as ChildProcess;
    if (blow?.moment === 'middle') setTimeout(() => strike(blow, step), blow.delayMs);
    if (blow?.moment === 'after') child.prependOnceListener('exit', () => strike(blow, step));
    if (child.channel) watchOrders(child);
    return child;
  };
  syncBuiltinESMExports();
}

interface Order {
  id: unknown;
  order: { file: string; args: readonly string[] };
}

function watchOrders(child: ChildProcess): void {
  const send = child.send.bind(child) as Anything;
  child.on('message', (told: { id?: unknown; pid?: number; end?: unknown }) => {
    if (typeof told !== 'object') return;
    if (told.pid !== undefined) atWork.set(told.id, told.pid);
    if ('end' in told) atWork.delete(told.id);
  });
  child.send = ((...args: unknown[]) => {
    const message = args[0] as Partial<Order> | string;
    if (typeof message !== 'object' || message.order === undefined) return send(...args);
    const { id, order } = message;
    const step = nameOf(order.file, order.args);
    const blow = stepper.due(step);
    if (blow?.moment === 'before') strike(blow, step);
    const sent = send(...args);
    if (blow?.moment === 'middle') setTimeout(() => strike(blow, step), blow.delayMs);
    if (blow?.moment === 'after')
      child.prependListener('message', (told: { id?: unknown }) => {
        if (typeof told === 'object' && told.id === id && 'end' in told) strike(blow, step);
      });
    return sent;
  }) as ChildProcess['send'];
}
