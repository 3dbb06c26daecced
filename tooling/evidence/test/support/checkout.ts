import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { tempDir } from '@baton/testkit';
import { mustRun, runProgram, type Ran, type RunOptions } from '../../src/run-program.ts';

const tooling = path.resolve(import.meta.dirname, '../../..');

/** A small repository with our own start-up programs, and a stand-in for the package manager that notes its calls. */
export interface Checkout extends AsyncDisposable {
  /** Holds all; its name has a space and a quote. */
  folder: string;
  root: string;
  home: string;
  /** Where `link` puts the command. */
  shim: string;
  run(args: readonly string[], options?: Partial<RunOptions>): Promise<Ran>;
  begin(args: readonly string[]): ChildProcess;
  /** Runs the linked command in {@link folder}. */
  baton(args: readonly string[]): Promise<Ran>;
  /** Runs a line of the shell. */
  sh(line: string, cwd: string): Promise<Ran>;
  /** What was asked of the package manager since the last look. */
  calls(): Promise<string[]>;
  write(files: Readonly<Record<string, string | null | { exec: string }>>): Promise<void>;
  git(...args: string[]): Promise<unknown>;
}

/** Installs a lock file and a Node; builds a program that prints its first source and its arguments. */
const packageManager = `#!/bin/sh
case "$*" in
*install*)
  echo install >>calls
  mkdir -p node_modules/.pnpm node_modules/.bin packages/a/node_modules
  cp pnpm-lock.yaml node_modules/.pnpm/lock.yaml
  ln -sf "$NODE" node_modules/.bin/node ;;
*build*)
  echo build >>calls
  echo "much that nobody asked for"
  [ ! -f fail ] || exit 3
  [ ! -f hold ] || { touch holding; while [ -f hold ]; do sleep 0.05; done; }
  mkdir -p apps/cli/dist packages/a/dist
  cp packages/a/src/index.ts packages/a/dist/index.js
  { printf 'const text = "%s";' "$(cat packages/a/src/index.ts)"
    printf 'console.log(text + ": " + process.argv.slice(2).join(","));'
    printf 'if (process.argv[2] === "where") console.log("in " + process.cwd());'
    printf 'if (process.argv[2] === "typed") console.log("typed as " + process.env.BATON_TYPED);'; } >apps/cli/dist/main.js
  [ ! -f edit ] || printf edited >packages/a/src/index.ts
  rm -f holding ;;
esac
`;

/** Makes one; with `home`, for the same user as another one. */
export async function makeCheckout(options: { home?: string } = {}): Promise<Checkout> {
  const place = await tempDir();
  const folder = path.join(place.path, "it's here");
  const [root, bin] = [path.join(folder, 'baton'), path.join(folder, 'bin')];
  const home = options.home ?? path.join(folder, 'home');
  const env = {
    ...process.env,
    PATH: `${bin}${path.delimiter}${process.env.PATH}`,
    NODE: process.execPath,
    HOME: home,
    SHELL: '/bin/zsh',
    XDG_BIN_HOME: undefined,
    INIT_CWD: undefined,
    NODE_OPTIONS: undefined,
  };
  const write: Checkout['write'] = async (files) => {
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(root, name);
      if (content === null) await rm(file, { recursive: true });
      else {
        await mkdir(path.dirname(file), { recursive: true });
        await writeFile(file, typeof content === 'string' ? content : content.exec);
        if (typeof content !== 'string') await chmod(file, 0o755);
      }
    }
  };
  await write({
    '.gitignore': 'node_modules\ndist\n.turbo\n/fail\n/hold\n/holding\n/edit\n/calls\n',
    'package.json': '{ "type": "module", "scripts": { "start": "node tooling/run.mjs start" } }\n',
    'pnpm-lock.yaml': 'lockfileVersion: 9\n',
    'apps/cli/package.json': '{}\n',
    'packages/a/package.json': '{}\n',
    'packages/a/src/index.ts': 'one',
    'packages/a/src/second.ts': 'second',
    '../bin/npx': { exec: packageManager },
  });
  await cp(path.join(tooling, 'run.mjs'), path.join(root, 'tooling/run.mjs'));
  await cp(path.join(tooling, 'start'), path.join(root, 'tooling/start'), { recursive: true });
  const git = (...args: string[]) =>
    mustRun(['git', '-c', 'user.name=t', '-c', 'user.email=t@example.invalid', ...args], { cwd: root });
  await git('init', '--quiet');
  await git('add', '.');
  await git('commit', '--quiet', '-m', 'first');
  const argv = (args: readonly string[]): [string, ...string[]] => [
    process.execPath,
    path.join(root, 'tooling/run.mjs'),
    ...args,
  ];
  const shim = path.join(home, '.local/bin/baton');
  return {
    folder,
    root,
    home,
    shim,
    write,
    git,
    run: (args, { env: more, ...rest } = {}) => {
      const all = { ...env, ...more };
      if (more?.PATH) all.PATH = `${bin}${path.delimiter}${more.PATH}`;
      return runProgram(argv(args), { cwd: root, ...rest, env: all });
    },
    begin: (args) => {
      const [file, ...rest] = argv(args);
      return spawn(file, rest, { cwd: root, env, stdio: 'ignore' });
    },
    baton: (args) => runProgram([shim, ...args], { cwd: folder, env }),
    sh: (line, cwd) => runProgram(['sh', '-c', line], { cwd, env }),
    calls: async () => {
      const file = path.join(root, 'calls');
      const text = await readFile(file, 'utf8').catch(() => '');
      await rm(file, { force: true });
      return text.split('\n').filter(Boolean);
    },
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}
