import { spawn } from 'node:child_process';
import { until } from '@baton/testkit';
import xterm from '@xterm/headless';

/** Columns and rows of a terminal. */
export interface Size {
  columns: number;
  rows: number;
}

/** A shell at a terminal, and a person who types. */
export interface Terminal {
  /** Types a command and waits for the next prompt. */
  type(command: string): Promise<Typed>;
  /** Types a command and does not wait; `ended` does. */
  begin(command: string): Begun;
  close(): Promise<void>;
}

/** A command that was typed and runs. */
export interface Begun {
  /** Waits until the screen shows this, and gives the screen as it is then. */
  sees(pattern: RegExp): Promise<Screen>;
  /** Sends keys: `'y\n'`, or Ctrl-C as `'\u0003'`. */
  press(keys: string): void;
  ended: () => Promise<Typed>;
}

/** What stands on the terminal, from the line of the command on. */
export interface Screen {
  lines: readonly string[];
  /** Lines that did not fit and go on in the next one; without that of the command. */
  wrapped: readonly string[];
}

/** A command that has ended. */
export interface Typed extends Screen {
  exitCode: number;
}

const longestMs = 120_000;

/** Opens a terminal by `script(1)`, which every Linux and macOS has, with a plain shell in it. */
export async function openTerminal(
  { columns, rows }: Size,
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string | undefined>> },
): Promise<Terminal> {
  const shell = `stty sane echo rows ${rows} cols ${columns}; exec sh -i`;
  const args =
    process.platform === 'darwin'
      ? ['-q', '/dev/null', 'sh', '-c', shell]
      : ['--quiet', '--flush', '--command', shell, '/dev/null'];
  const child = spawn('script', args, {
    cwd,
    env: { ...env, TERM: 'xterm-256color', PS1: '$ ', COLUMNS: undefined, LINES: undefined },
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  const view = new xterm.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
  let prompts = 0;
  let exitCode = 0;
  view.onTitleChange((title) => {
    prompts += 1;
    exitCode = Number(title.replace('exit=', ''));
  });
  const press = (keys: string) => child.stdin.write(keys);
  view.onData(press);
  const written: Promise<void>[] = [];
  child.stdout.on('data', (chunk: Buffer) => {
    written.push(new Promise((resolve) => view.write(chunk, resolve)));
  });
  child.stdin.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const terminal: Terminal = {
    type: (command) => terminal.begin(command).ended(),
    begin(command) {
      const [before, start] = [prompts, topOf(view)];
      press(`${command}\n`);
      const look = () => screenOf(view, start);
      return {
        press,
        sees: (pattern) =>
          orShow(look, async () => {
            const seen = await until(
              () => {
                const screen = look();
                return pattern.test(screen.lines.join('\n')) ? screen : prompts > before && 'ended';
              },
              { what: `"${command}" shows ${pattern.source}`, timeoutMs: longestMs },
            );
            if (seen === 'ended') throw new Error(`"${command}" ended without ${pattern.source}`);
            return seen;
          }),
        ended: async () => {
          await orShow(look, () =>
            until(() => prompts > before, { what: `"${command}" ends`, timeoutMs: longestMs }),
          );
          await Promise.all(written.splice(0));
          return { ...look(), exitCode };
        },
      };
    },
    async close() {
      press('\u0004');
      const timer = setTimeout(() => killGroup(child.pid), 5_000);
      await closed;
      clearTimeout(timer);
      view.dispose();
    },
  };
  // The prompt tells the exit code by the title of the window, which is not seen on the screen.
  await terminal.type(`PS1="$(printf '\\033]2;exit=$?\\007$ ')"`);
  await terminal.type('clear');
  return terminal;
}

/** Number of the line that the cursor is in, from the first line that ever was. */
const topOf = ({ buffer: { active } }: xterm.Terminal) => active.baseY + active.cursorY;

function screenOf(view: xterm.Terminal, start: number): Screen {
  const lines: string[] = [];
  const wrapped: string[] = [];
  let isCommand = true;
  for (let at = start; at <= topOf(view); at += 1) {
    const line = view.buffer.active.getLine(at);
    if (line === undefined) continue;
    const text = line.translateToString(true);
    if (at > start && !line.isWrapped) isCommand = false;
    if (line.isWrapped && !isCommand) wrapped.push(`${lines.at(-1) ?? ''}${text}`);
    lines.push(text);
  }
  if (lines.at(-1)?.trim() === '$') lines.pop();
  return { lines, wrapped };
}

/** What stands on the terminal says most about why something did not come about. */
async function orShow<T>(look: () => Screen, wait: () => Promise<T>): Promise<T> {
  try {
    return await wait();
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${look().lines.join('\n')}`, { cause: error });
  }
}

/** A process that leads a group, and the rest of the group. */
function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
