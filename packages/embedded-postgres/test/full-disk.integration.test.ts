import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import { startEmbeddedPostgres } from '../src/index.ts';
import { query, tempHome, until } from './support.ts';

const canMount =
  spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' }).status === 0;

const mounted = (folder: string, size: string): void =>
  void execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'none', folder]);
const room = (folder: string, size: string): void =>
  void execFileSync('mount', ['-o', `remount,size=${size}`, folder]);
const unmount = (folder: string): void => void spawnSync('umount', ['-l', folder]);

test.runIf(canMount).each(['8k', '12k', '1m', '20m'])(
  'a disk with room for %s only refuses a new database with the way out, and takes it when there is room',
  { timeout: 120_000 },
  async (size) => {
    await using place = await tempHome();
    mounted(place.folder, size);
    try {
      await expect(startEmbeddedPostgres({ home: place.home })).rejects.toMatchObject({
        code: expect.stringMatching(/^(STATE_UNWRITABLE|EMBEDDED_FAILED)$/) as string,
        message: expect.stringMatching(/ENOSPC|No space left|wrote only/) as string,
        fix: expect.stringContaining('Make room on the disk of') as string,
      });
      room(place.folder, '200m');
      await using server = await startEmbeddedPostgres({ home: place.home });
      expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    } finally {
      unmount(place.folder);
    }
  },
);

test.runIf(canMount)(
  'a server that its full disk ended is refused with the way out, and has everything when there is room',
  { timeout: 120_000 },
  async () => {
    await using place = await tempHome();
    mounted(place.folder, '120m');
    try {
      await using server = await startEmbeddedPostgres({ home: place.home });
      await query(server.url, 'CREATE TABLE kept (n int); INSERT INTO kept VALUES (7)');
      const full = path.join(place.folder, 'full');
      await expect(writeFile(full, Buffer.alloc(120 * 1024 * 1024))).rejects.toMatchObject({
        code: 'ENOSPC',
      });
      const longLog = `SELECT count(pg_logical_emit_message(true, 'x', repeat('x', 1000000))) FROM generate_series(1, 40)`;
      await expect(query(server.url, longLog)).rejects.toThrow();
      const { pid } = server;
      await until('the server has ended', () => !existsSync(`/proc/${pid}/exe`));
      await expect(server.ensureRunning()).rejects.toMatchObject({
        code: 'EMBEDDED_FAILED',
        message: expect.stringContaining('No space left on device') as string,
        fix: expect.stringContaining('Make room on the disk of') as string,
      });
      await rm(full);
      expect(await server.ensureRunning()).toBe('restarted');
      expect(await query(server.url, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
    } finally {
      unmount(place.folder);
    }
  },
);
