import { createServer, type AddressInfo } from 'node:net';

/** An unused port of the loopback interface: the preferred one where possible. */
export async function freePort(preferred: number | undefined): Promise<number> {
  if (preferred === undefined) return listenBriefly(0);
  return listenBriefly(preferred).catch(() => listenBriefly(0));
}

function listenBriefly(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1' }, () => {
      const { port: found } = server.address() as AddressInfo;
      server.close(() => resolve(found));
    });
  });
}
