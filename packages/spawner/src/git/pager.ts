import { spawn } from 'node:child_process';

/**
 * Shows text in the user's pager, a command line of their own settings that a shell reads, as git does it. It has the terminal until
 * it ends; Ctrl-C is for it alone.
 * @param options.command as `git var GIT_PAGER` gives it
 * @returns false when there is no such pager, so that nothing was shown
 */
export async function page(
  text: string,
  { command, env }: { command: string; env: Readonly<Record<string, string | undefined>> },
): Promise<boolean> {
  const ignore = (): void => undefined;
  process.on('SIGINT', ignore);
  try {
    return await new Promise<boolean>((resolve) => {
      const child = spawn('sh', ['-c', command], {
        env: { LESS: 'FRX', LV: '-c', ...env },
        stdio: ['pipe', 'inherit', 'inherit'],
      });
      child.stdin.on('error', ignore); // closed before all was read
      child.once('error', () => resolve(false));
      child.once('close', (code) => resolve(code !== 126 && code !== 127));
      child.stdin.end(text);
    });
  } finally {
    process.off('SIGINT', ignore);
  }
}
