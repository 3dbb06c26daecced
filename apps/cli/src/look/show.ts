import { page } from '@baton/spawner';

import type { Call } from '../terminal/call.ts';
import type { Colors } from '../terminal/colors.ts';
import type { Place } from '../project/project.ts';

/** Option of commands that may print more than a screen. */
export interface PagerOption {
  /** False: `--no-pager`. */
  pager: boolean;
}

/**
 * Prints a result, on a terminal through the pager that git would use: `GIT_PAGER`, `core.pager`, `PAGER`, `less`.
 */
export async function showResult(
  call: Call,
  { value, render, project }: { value: unknown; render: (colors: Colors) => string; project: Place },
  options: PagerOption,
): Promise<void> {
  const { out } = call;
  if (options.pager && !out.json && (await pageText(call, { text: render(out.colors), project }))) return;
  out.result(value, render, { exact: true });
}

/** Shows a text in the user's pager. False: there is none, or stdout is not a terminal. */
export async function pageText(
  call: Call,
  { text, project }: { text: string; project: Place },
): Promise<boolean> {
  const isAtTerminal = call.streams.stdout === process.stdout && process.stdout.isTTY;
  if (!isAtTerminal) return false;
  const command = await pagerOf(call, project);
  return command !== null && page(`${call.out.colors.finish(text)}\n`, { command, env: call.env.all });
}

/** The user's own settings decide, so git is asked without those of Baton. */
async function pagerOf({ env }: Call, { exec, root }: Place): Promise<string | null> {
  const variables = Object.entries(env.all).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const asked = await exec(['git', 'var', 'GIT_PAGER'], {
    cwd: root,
    env: Object.fromEntries(variables),
    timeoutMs: 10_000,
  });
  const command = asked.stdout.trim();
  return asked.exitCode !== 0 || command === '' || command === 'cat' ? null : command;
}
