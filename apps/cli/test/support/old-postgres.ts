import { createServer, type Socket } from 'node:net';

/** A server that speaks just enough of the wire protocol to say that it is PostgreSQL 13. */
export interface OldPostgres extends AsyncDisposable {
  url: string;
}

const version = '13.20';

/** Starts it on a free port of 127.0.0.1. */
export async function startOldPostgres(): Promise<OldPostgres> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      // AuthenticationOk, ParameterStatus, ReadyForQuery
      socket.write(
        Buffer.concat([
          message('R', int32(0)),
          message('S', text('server_version', version)),
          message('Z', Buffer.from('I')),
        ]),
      );
      socket.on('data', () => socket.write(answer()));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `postgresql://old:secret@127.0.0.1:${port}/baton`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** One row with one column `server_version`. */
function answer(): Buffer {
  const column = Buffer.concat([
    int16(1),
    text('server_version'),
    int32(0),
    int16(0),
    int32(25),
    int16(-1),
    int32(-1),
    int16(0),
  ]);
  const row = Buffer.concat([int16(1), int32(version.length), Buffer.from(version)]);
  return Buffer.concat([
    message('T', column),
    message('D', row),
    message('C', text('SHOW')),
    message('Z', Buffer.from('I')),
  ]);
}

function message(type: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

function text(...parts: string[]): Buffer {
  return Buffer.from(parts.map((part) => `${part}\0`).join(''));
}

function int16(value: number): Buffer {
  const buffer = Buffer.alloc(2);
  buffer.writeInt16BE(value);
  return buffer;
}

function int32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeInt32BE(value);
  return buffer;
}
