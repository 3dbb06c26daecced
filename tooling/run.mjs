// Behind `npm start` and `npm test`: needs only git, Node 20 or newer and npm; everything else comes from the lock file.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const [task = 'start', ...args] = process.argv.slice(2);
const env = { ...process.env, CHECKPOINT_DISABLE: '1', TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', npm_config_update_notifier: 'false' };

function run(file, argv, options = {}) {
  const result = spawnSync(file, argv, { cwd: root, env, stdio: ['inherit', 2, 2], ...options });
  if (result.error) console.error(String(result.error));
  if (result.status !== 0) process.exit(result.status ?? 1);
}
const pnpm = (...argv) => run(process.platform === 'win32' ? 'npx.cmd' : 'npx', ['--yes', 'pnpm@12.21.0', ...argv]);

pnpm('install', '--frozen-lockfile');
if (task === 'test') {
  pnpm('exec', 'turbo', 'run', 'test', '--concurrency=2', '--output-logs=new-only', ...args);
} else {
  pnpm('exec', 'turbo', 'run', 'build', '--output-logs=errors-only');
  const packaged = path.join(root, 'node_modules', '.bin', 'node');
  const node = existsSync(packaged) ? packaged : process.execPath;
  run(node, [path.join(root, 'apps/cli/dist/main.js'), ...(args.length ? args : ['demo'])], { cwd: process.env.INIT_CWD ?? root, stdio: 'inherit' });
}
