import { BatonError } from '@baton/contracts';
import { keepOwnersRights } from '@baton/service';
import { startServer } from './compose.ts';
import { readServerEnv } from './env.ts';

/** A server process: answers until SIGTERM or SIGINT. Prints one line of JSON on stdout when it is ready. */
async function main(): Promise<void> {
  keepOwnersRights();
  const server = await startServer(readServerEnv());
  // From here on a signal ends it cleanly: who reads that it is ready may send one at once.
  const signalled = new Promise<void>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => resolve());
  });
  process.stdout.write(`${JSON.stringify({ ready: true, url: server.url })}\n`);
  await signalled;
  await server.close();
}

main().catch((cause: unknown) => {
  const text = BatonError.is(cause)
    ? `${cause.code}: ${cause.message}${cause.fix ? `\nfix: ${cause.fix}` : ''}`
    : cause instanceof Error
      ? (cause.stack ?? cause.message)
      : String(cause);
  process.stderr.write(`error ${text}\n`);
  process.exitCode = BatonError.is(cause) ? 2 : 1;
});
