import { createServer } from 'node:net';

import { BatonError } from '@baton/contracts';

/** Makes sure that nothing listens on a port of 127.0.0.1, before anything is started. @throws PORT_IN_USE */
export async function refuseBusyPort(port: number): Promise<void> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject);
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve());
  }).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'EACCES' ? 'may not be used by this user' : 'is in use by another program';
    throw new BatonError('PORT_IN_USE', `Port ${port} on 127.0.0.1 ${why}.`, {
      fix: 'Choose another with --port, or end the program that listens there.',
      cause: error,
    });
  });
  await new Promise((resolve) => probe.close(resolve));
}
