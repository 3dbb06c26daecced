import { createServer, type AddressInfo, type Server } from 'node:net';

import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { checkServer, startEmbeddedPostgres, type EmbeddedPostgres } from '../src/index.ts';
import { tempHome } from './support.ts';

let place: Awaited<ReturnType<typeof tempHome>>;
let server: EmbeddedPostgres;

beforeAll(async () => {
  place = await tempHome();
  server = await startEmbeddedPostgres({ home: place.home });
});
afterAll(async () => {
  await server.release();
  await place[Symbol.asyncDispose]();
});

const changed = (change: (url: URL) => void) => {
  const url = new URL(server.url);
  change(url);
  return url.href;
};

test('a server that answers is described', async () => {
  const info = await checkServer(server.url);
  expect(info.majorVersion).toBe(18);
  expect(info.version).toMatch(/^18\.\d+$/);
});

test('an address that its password cuts is refused before a part of the password is taken for a host', async () => {
  for (const password of ['it@hush/hush:hush', 'it@hush#hush']) {
    const url = changed((each) => (each.password = 'PASSWORD')).replace('PASSWORD', password);
    const error = await checkServer(url).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
    expect(String(error)).not.toContain('hush');
  }
});

test('a wrong password is a login error that does not repeat the password', async () => {
  const url = changed((each) => (each.password = 'not-the-password'));
  const error = await checkServer(url).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: 'DATABASE_LOGIN' });
  expect(String(error)).not.toContain('not-the-password');
  expect(String(error)).toContain(`127.0.0.1:${server.port}/baton`);
});

test('a missing database and a server that does not answer get different errors', async () => {
  const missing = checkServer(changed((url) => (url.pathname = '/nowhere')));
  await expect(missing).rejects.toMatchObject({
    code: 'DATABASE_UNREACHABLE',
    message: expect.stringContaining('does not exist') as string,
  });
  const nobody = checkServer('postgresql://someone@127.0.0.1:1/baton');
  await expect(nobody).rejects.toMatchObject({
    code: 'DATABASE_UNREACHABLE',
    message: '127.0.0.1:1/baton does not answer (ECONNREFUSED).',
  });
});

test('a server that answers and takes no connection differs from one that does not answer', async () => {
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  const url = (name: string) => changed((each) => Object.assign(each, { username: name, password: 'p' }));
  try {
    await admin.query('CREATE DATABASE shut WITH ALLOW_CONNECTIONS false');
    await admin.query(`CREATE ROLE barred PASSWORD 'p'`);
    await admin.query(`CREATE ROLE crowded LOGIN PASSWORD 'p' CONNECTION LIMIT 0`);
    await expect(checkServer(changed((each) => (each.pathname = '/shut')))).rejects.toMatchObject({
      code: 'DATABASE_UNREACHABLE',
      message: `127.0.0.1:${server.port}/shut takes no connection (55000): database "shut" is not currently accepting connections.`,
    });
    await expect(checkServer(url('barred'))).rejects.toMatchObject({
      code: 'DATABASE_LOGIN',
      message: expect.stringContaining('role "barred" is not permitted to log in') as string,
    });
    await expect(checkServer(url('crowded'))).rejects.toMatchObject({
      code: 'DATABASE_UNREACHABLE',
      message: expect.stringContaining('has no connection free (53300)') as string,
    });
  } finally {
    await admin.end();
  }
});

test('a server that takes the connection but says nothing is given up', async () => {
  const mute = createServer();
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  const { port } = mute.address() as AddressInfo;
  const check = checkServer(`postgresql://someone@127.0.0.1:${port}/baton`, { connectTimeoutMs: 100 });
  await expect(check).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' });
  mute.close();
});

test('a server older than 14 is refused with both versions', async () => {
  const old = await pretendServer('13.22');
  const check = checkServer(`postgresql://someone@127.0.0.1:${(old.address() as AddressInfo).port}/baton`);
  await expect(check).rejects.toMatchObject({
    code: 'DATABASE_TOO_OLD',
    details: { found: '13.22', oldest: 14 },
  });
  old.close();
});

test('what is no address of a Postgres is refused without repeating it', async () => {
  for (const url of ['', 'mysql://u:hidden@h/db', 'postgresql://u:hidden@h:port/db', 'hidden']) {
    const error = await checkServer(url).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
    expect(String(error)).not.toContain('hidden');
  }
});

/** Speaks as much of the protocol (PostgreSQL documentation, 54.7) as one `SHOW server_version` needs. */
async function pretendServer(version: string): Promise<Server> {
  const message = (type: string, body: Buffer) => {
    const head = Buffer.alloc(5);
    head.write(type);
    head.writeInt32BE(body.length + 4, 1);
    return Buffer.concat([head, body]);
  };
  const int = (value: number, bytes: 2 | 4) => {
    const buffer = Buffer.alloc(bytes);
    buffer.writeIntBE(value, 0, bytes);
    return buffer;
  };
  const ready = message('Z', Buffer.from('I'));
  const column = [
    Buffer.from('server_version\0'),
    int(0, 4),
    int(0, 2),
    int(25, 4),
    int(-1, 2),
    int(-1, 4),
    int(0, 2),
  ];
  const answer = [
    message('T', Buffer.concat([int(1, 2), ...column])),
    message('D', Buffer.concat([int(1, 2), int(version.length, 4), Buffer.from(version)])),
    message('C', Buffer.from('SHOW\0')),
    ready,
  ];
  const pretender = createServer((socket) => {
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', int(0, 4)), ready]));
      socket.once('data', () => socket.write(Buffer.concat(answer)));
    });
  });
  await new Promise<void>((resolve) => pretender.listen(0, '127.0.0.1', resolve));
  return pretender;
}
