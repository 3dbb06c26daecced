import { closeSync, openSync, readdirSync } from 'node:fs';

import { startEmbeddedPostgres } from '../src/index.ts';

/** Uses a server, asks for it without a free descriptor and with one again, and prints the answers. */
const [home = ''] = process.argv.slice(2);
const server = await startEmbeddedPostgres({ home });
const ask = () =>
  server
    .ensureRunning()
    .catch(({ code, message }: { code: string; message: string }) => `${code}: ${message}`);
const opened: number[] = [];
try {
  for (;;) opened.push(openSync('/dev/null', 'r'));
} catch {
  // full
}
const without = await ask();
for (const one of opened) closeSync(one);
console.log(JSON.stringify([without, await ask(), readdirSync(`${home}/pg-users`).length]));
await server.release();
