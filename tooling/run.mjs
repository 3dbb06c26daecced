// Behind `npm start`, `npm test`, `npm run link` and the linked command: needs only git, Node 20 or newer and npm;
// everything else comes from the lock file.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import module from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ensureBuilt } from './start/build-stamp.mjs';
import { link, typedFor, unlink } from './start/link.mjs';
import { pack } from './start/pack.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const [task = 'start', ...args] = process.argv.slice(2);
const env = {
  ...process.env,
  CHECKPOINT_DISABLE: '1',
  TURBO_TELEMETRY_DISABLED: '1',
  DO_NOT_TRACK: '1',
  npm_config_update_notifier: 'false',
};
// What installs and builds print is no result: it goes to stderr, so that `npm start -- … --json` stays one object.
const toStderr = ['ignore', 2, 2];

function run(file, argv, options = {}, onFailure = () => undefined) {
  const result = spawnSync(file, argv, { cwd: root, env, stdio: toStderr, ...options });
  if (result.error) console.error(String(result.error));
  if (result.status === 0) return;
  onFailure();
  process.exit(result.status ?? 1);
}
const npx = process.platform === 'win32' ? 'npx.cmd' : 'npx';
const pnpm = (argv, ...rest) => run(npx, ['--yes', 'pnpm@12.21.0', ...argv], ...rest);

/** The Node that npm gave us, or this one where npm has none for the platform. */
function findNode() {
  const packaged = path.join(root, 'node_modules', '.bin', 'node');
  if (existsSync(packaged)) return packaged;
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return process.execPath;
  console.error(
    `Baton needs Node 22.18 or newer. This is ${process.version}, and npm has no Node package for ${process.platform}-${process.arch}. Install Node 24 from https://nodejs.org and try again.`,
  );
  process.exit(1);
}

const install = () => pnpm(['install', '--frozen-lockfile']);
const built = (options = {}) =>
  ensureBuilt(root, {
    say: (line) => console.error(line),
    make: (isFirst) => {
      if (!isFirst) console.error(`The sources of Baton changed: building in ${root}.`);
      install();
      pnpm(['exec', 'turbo', 'run', 'build']);
    },
    ...options,
  });
const cli = path.join(root, 'apps/cli/dist/main.js');

switch (task) {
  case 'test':
    install();
    test(findNode());
    break;
  case 'start':
    await built();
    env.BATON_TYPED = typedFor(root, process.env) ?? '';
    hand(findNode(), [cli, ...(args.length ? args : ['demo'])]);
    break;
  // What the linked command starts.
  case 'baton':
    await built({ trusting: true });
    await become(cli);
    break;
  case 'link':
    await built();
    tell(link(root, process.env));
    break;
  case 'unlink':
    tell(unlink(root, process.env));
    break;
  case 'pack':
    await built();
    packAll(args[0] ? path.resolve(process.env.INIT_CWD ?? root, args[0]) : path.join(root, 'dist'));
    break;
  default:
    console.error(`There is no task "${task}". Tasks: start, test, link, unlink, pack, baton.`);
    process.exitCode = 2;
}

/** Goes on as the command, in this process if it has the right Node already. */
async function become(file) {
  const node = findNode();
  if (realpathSync(node) !== process.execPath) return hand(node, [file, ...args], process.cwd());
  module.enableCompileCache(path.join(root, '.turbo/compile-cache'));
  process.argv.splice(1, 2, file);
  await import(pathToFileURL(file).href);
}

function tell({ exitCode, lines }) {
  for (const line of lines) (exitCode === 0 ? console.log : console.error)(line);
  process.exitCode = exitCode;
}

function packAll(target) {
  const tarballs = pack(root, { target, pnpm, run });
  for (const { name, bytes } of tarballs)
    console.log(`${`${(bytes / 1e6).toFixed(2)} MB`.padStart(8)}  ${path.join(target, name)}`);
  console.log(`Install the command anywhere: npm install --global ${path.join(target, tarballs[0].name)}`);
}

function test(node) {
  const startedMs = String(Date.now());
  const turbo = [
    'exec',
    'turbo',
    'run',
    'test',
    '--concurrency=2',
    '--continue=dependencies-successful',
    ...args,
  ];
  const tell = () => run(node, [path.join(root, 'tooling/failed-tests.mjs'), startedMs]);
  // Everything is built before it is tested.
  pnpm(turbo, { stdio: 'inherit', env: { ...env, BATON_TEST_BUILT: '1' } }, tell);
  tell();
}

/** The rest is the command's: its streams, its exit code, and the signals that end it. */
function hand(file, argv, cwd = process.env.INIT_CWD ?? root) {
  const child = spawn(file, argv, { cwd, env, stdio: 'inherit' });
  // Ctrl-C reaches the whole group by itself: the command saves its work, and this waits for it.
  process.on('SIGINT', () => undefined);
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(String(error));
    process.exitCode = 1;
  });
  child.on('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}
