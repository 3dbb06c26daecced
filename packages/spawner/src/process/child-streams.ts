import { randomBytes, timingSafeEqual } from 'node:crypto';
import { connect, createServer, type Socket } from 'node:net';

/*
 * Stdin, stdout and stderr of a child that a helper starts for another process: three connections within the machine, offered by that
 * process, with the helper's ends given to the child. Nothing passes through the helper, so the child and the reader have what a pipe
 * would give them: the same bytes, the same back-pressure, the same ends. The name is an abstract one, which leaves no file behind. Any
 * user can see such a name and connect to it, so each connection begins with a token that only the order holds.
 */

/** Error code of a child that could not be given its streams. */
export const noStreams = 'NO_STREAMS';

const tokenBytes = 16;
const streams = 3;

/** Where the streams of one child are offered, and what proves that one was sent for them. */
export interface StreamsAt {
  name: string;
  /** Hexadecimal. */
  token: string;
}

/** Stdin, stdout and stderr of a child, as seen from outside. */
export type ChildStreams = readonly [stdin: Socket, stdout: Socket, stderr: Socket];

/** Streams that are offered to one child. */
export interface OfferedStreams {
  at: StreamsAt;
  /** Resolves once all are connected; null: withdrawn before. */
  taken: Promise<ChildStreams | null>;
  /** Ends the offer, and with it every connection that was not taken. */
  withdraw(): void;
}

/**
 * Offers streams, from this very call on. Linux only: other systems have no such names.
 *
 * @param options.isUnreferenced neither the offer nor the streams keep this process up
 */
export function offerStreams(options: { isUnreferenced?: boolean | undefined } = {}): OfferedStreams {
  const token = randomBytes(tokenBytes);
  const name = `\0baton-${process.pid}-${randomBytes(tokenBytes).toString('hex')}`;
  const callers = new Set<Socket>();
  const found: (Socket | undefined)[] = [];
  const { promise: taken, resolve } = Promise.withResolvers<ChildStreams | null>();
  const server = createServer((socket) => {
    callers.add(socket);
    if (options.isUnreferenced) socket.unref();
    socket.on('error', () => undefined); // a program that does not read its input is no error
    socket.on('readable', look);
    function look(): void {
      const said = socket.read(tokenBytes + 1) as Buffer | null;
      if (said === null) return;
      socket.off('readable', look);
      const number = numberIn(said, token);
      if (number === null || found[number] !== undefined) return void socket.destroy();
      found[number] = socket;
      callers.delete(socket);
      const [stdin, stdout, stderr] = found;
      if (stdin && stdout && stderr) close([stdin, stdout, stderr]);
    }
  });
  function close(all: ChildStreams | null): void {
    server.close();
    for (const socket of callers) socket.destroy();
    if (all === null) for (const socket of found) socket?.destroy();
    resolve(all);
  }
  server.on('error', () => close(null));
  server.listen(name);
  if (options.isUnreferenced) server.unref();
  return { at: { name, token: token.toString('hex') }, taken, withdraw: () => close(null) };
}

/** The number of the stream that a connection is for; null: it was not sent for any. */
function numberIn(said: Buffer, token: Buffer): number | null {
  const number = said[tokenBytes] ?? streams;
  const isSent = said.length === tokenBytes + 1 && timingSafeEqual(said.subarray(0, tokenBytes), token);
  return isSent && number < streams ? number : null;
}

/**
 * Connects to what another process offers. The ends are for a child, in this order its stdin, stdout and stderr; to be destroyed as soon
 * as it has them.
 *
 * @throws the error of the connection
 */
export async function takeStreams({ name, token }: StreamsAt): Promise<Socket[]> {
  const ends = Array.from({ length: streams }, () => connect({ path: name }));
  try {
    await Promise.all(ends.map((end, number) => introduce(end, { token, number })));
  } catch (error) {
    for (const end of ends) end.destroy();
    throw error;
  }
  return ends;
}

function introduce(end: Socket, { token, number }: { token: string; number: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    end.on('error', reject);
    end.once('connect', () =>
      end.write(Buffer.concat([Buffer.from(token, 'hex'), Buffer.of(number)]), () => resolve()),
    );
  });
}
