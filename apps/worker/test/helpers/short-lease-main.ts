import { systemClock, systemIds } from '@baton/service/system';
import { openStore } from '@baton/task-store';
import { createWorker } from '../../src/index.ts';

// A worker process whose leases are short: `node short-lease-main.ts <database> <state folder> <milliseconds>`. It tells its log line by line.
const [url = '', stateDir = '', leaseMs = '1500'] = process.argv.slice(2);
const tell = (message: string, fields: object = {}): void =>
  void process.stdout.write(`${JSON.stringify({ message, ...fields })}\n`);
const worker = createWorker({
  store: await openStore({ url, clock: systemClock, ids: systemIds }),
  ...{ stateDir, capacity: 1, isolation: 'copy' },
  ...{ operatorEnv: process.env, clock: systemClock, ids: systemIds },
  timing: { leaseMs: Number(leaseMs), renewMs: 300, sweepMs: 300 },
  log: { info: tell, warn: tell, error: tell },
});
process.once('SIGTERM', () => void worker.stop().then(() => process.exit()));
await worker.start();
tell('ready');
