// Behind `npm start` and `npm test`: needs only git, Node 20 or newer and npm; everything else comes from the lock file.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

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
const toStderr = ['inherit', 2, 2];

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

pnpm(['install', '--frozen-lockfile']);
const node = findNode();
if (task === 'test') {
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
  pnpm(turbo, { stdio: 'inherit' }, () =>
    run(node, [path.join(root, 'tooling/failed-tests.mjs'), startedMs]),
  );
} else {
  pnpm(['exec', 'turbo', 'run', 'build']);
  hand(node, [path.join(root, 'apps/cli/dist/main.js'), ...(args.length ? args : ['demo'])]);
}

/** The rest is the command's: its streams, its exit code, and the signals that end it. */
function hand(file, argv) {
  const child = spawn(file, argv, { cwd: process.env.INIT_CWD ?? root, env, stdio: 'inherit' });
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
