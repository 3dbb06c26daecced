import { connect, createServer, type Socket } from 'node:net';
import { once } from 'node:events';

/** A line to a database that can be cut and mended: what a server sees when Postgres goes away. */
export interface CutLine extends AsyncDisposable {
  /** Address of the same database through the line. */
  readonly url: string;
  cut(): void;
  mend(): void;
}

/** Lays a line to the database at `url`. */
export async function cutLine(url: string): Promise<CutLine> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let isCut = false;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((socket) => {
    keep(socket);
    if (isCut) return socket.destroy();
    const upstream = connect(Number(target.port), target.hostname);
    keep(upstream);
    socket.pipe(upstream).pipe(socket);
    socket.on('close', () => upstream.destroy());
    upstream.on('close', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String(typeof address === 'object' ? address?.port : '');
  const dropAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: through.href,
    cut() {
      isCut = true;
      dropAll();
    },
    mend() {
      isCut = false;
    },
    async [Symbol.asyncDispose]() {
      dropAll();
      server.close();
      await once(server, 'close');
    },
  };
}
