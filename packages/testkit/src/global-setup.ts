import { holdTestServer } from './test-server.ts';

/**
 * For `globalSetup` of a vitest configuration: keeps the server of the test databases up from the first test file to
 * the last, instead of once per file.
 *
 * @returns the teardown.
 */
export async function setup(): Promise<() => Promise<void>> {
  const server = await holdTestServer(process.env);
  return () => server.release();
}
