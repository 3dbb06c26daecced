import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { startEmbeddedPostgres } from '@baton/embedded-postgres';
import { migrateOnce } from '@baton/task-store';

import { clusterVariable } from './cluster-variable.ts';

/**
 * For `globalSetup` of the vitest configuration: makes one database cluster with the schema and nothing stored, which the
 * benches copy.
 *
 * @returns the teardown.
 */
export async function setup(): Promise<() => Promise<void>> {
  const home = await mkdtemp(path.join(tmpdir(), 'baton-test-cluster-'));
  const remove = () => rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  try {
    const server = await startEmbeddedPostgres({ home });
    try {
      await migrateOnce(server.url, { stampFile: path.join(home, 'schema'), isNew: server.isNew });
    } finally {
      await server.release();
    }
  } catch (error) {
    await remove();
    throw error;
  }
  process.env[clusterVariable] = home;
  return remove;
}
