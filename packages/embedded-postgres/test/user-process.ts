import { startEmbeddedPostgres } from '../src/index.ts';

const server = await startEmbeddedPostgres({ home: process.argv[2] ?? '' });
console.log(JSON.stringify({ url: server.url, port: server.port, pid: server.pid }));
for await (const _ of process.stdin);
await server.release();
