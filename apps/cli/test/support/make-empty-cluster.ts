import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { startEmbeddedPostgres } from '@baton/embedded-postgres';

import { clusterVariable } from './cluster-variable.ts';

/**
 * For `globalSetup` of the vitest configuration: makes one empty database cluster, which the benches copy.
 *
 * @returns the teardown.
 */
export async function setup(): Promise<() => Promise<void>> {
  const home = await mkdtemp(path.join(tmpdir(), 'baton-test-cluster-'));
  const remove = () => rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  try {
    // Every cluster has the database postgres: by this name none is made, and a copy is as `initdb` leaves it.
    const server = await startEmbeddedPostgres({ home, database: 'postgres' });
    await server.release();
  } catch (error) {
    await remove();
    throw error;
  }
  process.env[clusterVariable] = home;
  return remove;
}
