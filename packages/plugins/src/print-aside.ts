import { isOwned } from './strays.ts';

let isAside = false;

/**
 * From now on what code of plugins prints goes to stderr: stdout is the answer of a command, which other programs read. Programs that a
 * plugin starts print where it says. Once in a process; later calls do nothing.
 */
export function printAside(): void {
  if (isAside) return;
  isAside = true;
  const { stdout, stderr } = process;
  const { write } = stdout;
  stdout.write = ((...given: Parameters<typeof write>) =>
    isOwned() ? stderr.write(...given) : write.apply(stdout, given)) as typeof write;
}
