import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '@baton/testkit';
import { migrate } from '../src/index.ts';
import { listen } from '../src/db/notify.ts';

let server: Server;
let url: string;
const sockets = new Set<Socket>();
/** Takes connections and never answers nor ends one: what a client sees of a server that hangs. */
beforeEach(async () => {
  server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.resume();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `postgresql://baton@127.0.0.1:${(server.address() as { port: number }).port}/baton`;
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  server.close();
  await once(server, 'close');
});

it('gives a server up that takes the connection and says nothing', { timeout: 30_000 }, async () => {
  await expect(migrate(url)).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE', retryable: true });
});

it(
  'stops listening soon though the server says nothing, and leaves no connection open',
  { timeout: 5_000 },
  async () => {
    const stop = listen(url, 'work', () => undefined);
    await until(() => sockets.size > 0 || undefined, { what: 'it connects' });
    await stop();
    await until(() => [...sockets].every((socket) => socket.readableEnded || socket.destroyed) || undefined, {
      what: 'its end of the connection is closed',
    });
  },
);
