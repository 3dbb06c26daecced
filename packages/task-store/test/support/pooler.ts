import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import pg from 'pg';

/** Where a pooler gives a connection of the server back: `session` keeps it for the client's whole life. */
export type PoolMode = 'transaction' | 'session';

/** A pooler in front of a server, as PgBouncer is one: it answers the login itself and lends its own connections. */
export interface Pooler extends AsyncDisposable {
  /** Address of the same database through the pooler. */
  readonly url: string;
}

/** Which of the free connections the next transaction gets. */
export type Lending = 'newest' | 'oldest';

const ready = 'Z'.charCodeAt(0);
const ended = 'X'.charCodeAt(0);

interface Lent {
  readonly stream: Socket;
  close(): void;
}

/** A connection that the pooler has to the server. Its socket is used without pg once pg has logged in. */
async function connected(url: string): Promise<Lent> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  stream.removeAllListeners('data');
  return { stream, close: () => stream.destroy() };
}

/** Splits what arrives into messages of the protocol: a type, the length of the rest, the rest. */
function messages(take: (message: Buffer) => void): (data: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (data) => {
    rest = Buffer.concat([rest, data]);
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      const size = 1 + rest.readUInt32BE(1);
      take(rest.subarray(0, size));
      rest = rest.subarray(size);
    }
  };
}

/** Login without a password, a key for cancelling that names no process of the server, ready. */
const welcome = Buffer.from([
  ...[...Buffer.from('R'), 0, 0, 0, 8, 0, 0, 0, 0],
  ...[...Buffer.from('K'), 0, 0, 0, 12, 0x94, 0x88, 0x25, 1, 1, 2, 3, 4],
  ...[...Buffer.from('Z'), 0, 0, 0, 5, ...Buffer.from('I')],
]);

/** Serves one client: borrows a connection at its first message, and in transaction mode gives it back between transactions. */
function serve(socket: Socket, mode: PoolMode, { borrow, giveBack }: Pool): void {
  let lent: Promise<Lent> | undefined;
  const fromServer = messages((message) => {
    socket.write(message);
    if (message[0] === ready && message.at(-1) === 'I'.charCodeAt(0) && mode === 'transaction') release();
  });
  const release = () => {
    const given = lent;
    lent = undefined;
    void given?.then((connection) => {
      connection.stream.off('data', fromServer);
      giveBack(connection);
    });
  };
  const take = async () => {
    const connection = await borrow();
    connection.stream.on('data', fromServer);
    return connection;
  };
  const fromClient = messages((message) => {
    if (message[0] === ended) return;
    lent ??= take();
    void lent.then(({ stream }) => stream.write(message));
  });
  socket.once('data', () => {
    socket.write(welcome);
    socket.on('data', fromClient);
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', release);
}

interface Pool {
  borrow(): Promise<Lent>;
  giveBack(connection: Lent): void;
}

/** Opens a pooler in front of the server of `url`. */
export async function openPooler(url: string, mode: PoolMode, lending: Lending = 'newest'): Promise<Pooler> {
  const free: Lent[] = [];
  const all: Lent[] = [];
  const borrow = async () => {
    const known = lending === 'newest' ? free.pop() : all.length >= 16 ? free.shift() : undefined;
    if (known !== undefined) return known;
    const made = await connected(url);
    all.push(made);
    return made;
  };
  const pool = { borrow, giveBack: (connection: Lent) => void free.push(connection) };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    serve(socket, mode, pool);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return {
    url: Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      for (const { close } of all) close();
      server.close();
      await once(server, 'close');
    },
  };
}
