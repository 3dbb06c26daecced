import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { tempDir, writeFiles } from '@baton/testkit';
import { startFakeModelServer } from '@baton/testkit/model-server';
import { parseDocument } from 'yaml';
import { mustRun } from '../../run-program.ts';
import { awaitNoServer, surroundings } from '../first-hour/stranger.ts';
import { createPerson, type Person, type Shown } from './person.ts';
import { reviewPlan, shop, thinking, words, working } from './shop.ts';
import { openTerminal, type Size } from './terminal.ts';
import { steady } from './volatile.ts';

type Model = Awaited<ReturnType<typeof startFakeModelServer>>;

/** What came of the hour at one terminal. */
export interface PlayedHour {
  size: Size;
  shown: readonly Shown[];
  /** Why it ended early; null: it did not. */
  broken: string | null;
}

const clone = path.resolve(import.meta.dirname, '../../../../..');
const [ctrlC, ctrlD] = ['\u0003', '\u0004'];

/** Plays a person's first hour at a terminal of this size; in short: its first run alone. */
export async function playHour(size: Size, { short }: { short: boolean }): Promise<PlayedHour> {
  await using stack = new AsyncDisposableStack();
  const home = stack.use(await tempDir()).path;
  const model = await startFakeModelServer({ script: working });
  stack.defer(() => model.close());
  const env = surroundingsIn(home);
  stack.defer(() => awaitNoServer(path.join(home, '.local')));
  const folder = path.join(home, 'shop');
  await mkdir(folder);
  await symlink(clone, path.join(home, 'baton'));
  await writeFiles(folder, shop);
  const git = (...args: string[]) => mustRun(['git', ...args], { cwd: folder, env });
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '.');
  await git('commit', '--quiet', '-m', 'A shop');
  const terminal = await openTerminal(size, { cwd: home, env });
  stack.defer(() => terminal.close());
  const places = [
    [home, '/home/ada'],
    [clone, '/home/ada/baton'],
    [model.url, 'http://127.0.0.1:8080'],
  ] as const;
  const person = createPerson(
    terminal,
    steady({ places, runNames: ['example', 'greetings', 'write-hello-txt'] }),
  );
  try {
    await (short ? linkByHand(home) : link(person));
    await terminal.type('cd ~/shop');
    await firstRun(person, { short });
    if (short) return { size, shown: person.shown, broken: null };
    const help = await terminal.type('baton help reject');
    const say = help.lines.some((line) => line.includes('--say')) ? '--say' : '--reason';
    await useModel(folder, model);
    await interrupted(person, model);
    await writeFile(path.join(folder, 'greetings.yaml'), reviewPlan);
    await reviewed(person, say);
  } catch (error) {
    return { size, shown: person.shown, broken: (error as Error).message };
  }
  return { size, shown: person.shown, broken: null };
}

/** What is built must be what is there: in the home of this person nothing is installed. */
async function link({ types }: Person): Promise<void> {
  await mustRun([process.execPath, 'tooling/run.mjs', 'baton', '--version'], { cwd: clone });
  const says = 'Puts the command into the PATH.';
  await types('cd ~/baton && npm run --silent link', { says, shows: /^Linked /m });
}

async function linkByHand(home: string): Promise<void> {
  const program = path.join(clone, 'apps/cli/dist/main.js');
  await writeFiles(home, {
    '.local/bin/baton': { exec: `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n` },
  });
}

async function firstRun({ types }: Person, { short }: { short: boolean }): Promise<void> {
  if (!short) await types('baton doctor', { says: 'Looks at what this machine has.' });
  await types('baton init', { says: 'Lets Baton find the checks of the repository.', shows: /tests/ });
  await types('baton run plan.yaml', {
    says: 'Runs the example plan.',
    shows: /2 of 2 tasks landed/,
    meanwhile: async (begun) => [await begun.sees(/[01]\/2 landed/)],
  });
  if (!short) await types('baton diff', { says: 'Looks at what came of it.', shows: /NOTES\.md/ });
  await types('baton merge', { says: 'Takes it.' });
}

async function interrupted({ types }: Person, model: Model): Promise<void> {
  model.setScript(thinking);
  await types('baton run "Write hello.txt" --budget 2 --max-cost 0.5', {
    says: 'Gives a goal in words, and limits; presses Ctrl-C while the agent thinks.',
    exit: 130,
    meanwhile: async (begun) => {
      const question = await begun.sees(/Go ahead\? \[y\/N] ?$/m);
      begun.press('y\n');
      const atWork = await begun.sees(/helper.*tok/);
      begun.press(ctrlC);
      return [question, atWork];
    },
  });
  model.setScript(working);
  await types('baton status', { says: 'Asks where things stand.', shows: /run --resume/ });
  await types('baton run --resume', { says: 'Carries it on.', shows: /1 of 1 task landed/ });
  await types('baton diff', { says: 'Looks at it.', shows: /hello\.txt/ });
  await types('baton merge', { says: 'Takes it.' });
}

async function reviewed({ types }: Person, say: string): Promise<void> {
  const question = /\[q\]uit ?$/m;
  await types('baton run greetings.yaml', {
    says: 'Runs a plan whose work waits for a yes, and leaves the question open with Ctrl-D.',
    exit: 3,
    meanwhile: async (begun) => {
      const asked = await begun.sees(question);
      begun.press(ctrlD);
      return [asked];
    },
  });
  await types('baton diff farewell', {
    says: 'Looks at one of them before it lands.',
    shows: /visit us again/,
  });
  await types(`baton reject farewell ${say} "${words}"`, { says: 'Says no to it, and why.' });
  await types('baton approve', {
    says: 'Is asked about what else waits, and says yes.',
    meanwhile: async (begun) => {
      const asked = await begun.sees(question);
      begun.press('y\n');
      return [asked];
    },
  });
  await types('baton run --resume', {
    says: 'Carries the run on. The agent has read the words; says yes this time.',
    shows: /2 of 2 tasks landed/,
    meanwhile: async (begun) => {
      const asked = await begun.sees(question);
      begun.press('y\n');
      return [asked];
    },
  });
  await types('baton merge', { says: 'Takes both.' });
  await types('cat farewell.txt', { says: 'Reads what it became.', shows: /Thank you/ });
}

/** What an editor changes: the agent that baton.yaml names. */
async function useModel(folder: string, { url }: Model): Promise<void> {
  const file = path.join(folder, 'baton.yaml');
  const document = parseDocument(await readFile(file, 'utf8'));
  document.setIn(['agents'], { helper: { in_process: 'local/gpt-5-mini', base_url: `${url}/v1` } });
  document.setIn(['agent'], 'helper');
  document.setIn(['prices'], { 'local/gpt-5-mini': { input: 0.25, output: 2 } });
  await writeFile(file, document.toString());
}

function surroundingsIn(home: string): Record<string, string | undefined> {
  const env = surroundings(path.join(home, '.local/state'));
  const own = path.join(home, '.local/bin');
  return {
    ...env,
    BATON_HOME: undefined,
    CI: undefined,
    XDG_BIN_HOME: undefined,
    XDG_STATE_HOME: undefined,
    HOME: home,
    USER: 'ada',
    LANG: 'C.UTF-8',
    PAGER: 'cat',
    PATH: [own, env.PATH].join(path.delimiter),
  };
}
