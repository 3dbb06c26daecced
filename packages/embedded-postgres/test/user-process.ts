import { startEmbeddedPostgres } from '../src/index.ts';

const [home = '', keepSeconds = '0'] = process.argv.slice(2);
const server = await startEmbeddedPostgres({ home, keepSeconds: Number(keepSeconds) });
console.log(JSON.stringify({ url: server.url, port: server.port, pid: server.pid }));
for await (const _ of process.stdin);
await server.release();
