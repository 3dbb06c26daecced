import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { pipeline } from 'node:stream';
import { until } from '@baton/testkit';

/** A folder of bare repositories, served on the loopback interface until it is disposed of. */
export interface Served extends AsyncDisposable {
  /** Where the repository of that name is found. */
  locationOf(name: string): string;
}

/** Serves a folder for reading and writing, by git's own protocol or by its smart protocol over HTTP. */
export async function serve(folder: string, transport: 'git' | 'http'): Promise<Served> {
  return transport === 'git' ? serveDaemon(folder) : serveHttp(folder);
}

async function serveDaemon(folder: string): Promise<Served> {
  const reserved = createTcpServer();
  const port = await portOf(reserved);
  reserved.close();
  const options = ['--export-all', '--enable=receive-pack', '--reuseaddr', '--informative-errors'];
  const child = spawn(
    'git',
    ['daemon', ...options, '--listen=127.0.0.1', `--port=${port}`, `--base-path=${folder}`, folder],
    { stdio: 'ignore', detached: true },
  );
  await until(() => answers(port), { what: 'git daemon listens' });
  return {
    locationOf: (name) => `git://127.0.0.1:${port}/${name}`,
    [Symbol.asyncDispose]: () => endGroup(child),
  };
}

async function serveHttp(folder: string): Promise<Served> {
  const server = createServer((request, answer) => byBackend(folder, { request, answer }));
  const port = await portOf(server);
  return {
    locationOf: (name) => `http://127.0.0.1:${port}/${name}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** One request by git's own CGI program. */
function byBackend(
  folder: string,
  { request, answer }: { request: IncomingMessage; answer: ServerResponse },
): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const child = spawn('git', ['-c', 'http.receivepack=true', 'http-backend'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_NOSYSTEM: '1',
      REMOTE_USER: 'tester',
      REQUEST_METHOD: request.method ?? 'GET',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      CONTENT_LENGTH: request.headers['content-length'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  pipeline(request, child.stdin, () => undefined);
  let head = Buffer.alloc(0);
  const readHead = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    child.stdout.off('data', readHead);
    const headers = head.subarray(0, end).toString().split('\r\n');
    const named = headers.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]);
    const status = named.find(([name]) => name.toLowerCase() === 'status')?.[1] ?? '200';
    answer.writeHead(Number.parseInt(status, 10), Object.fromEntries(named));
    answer.write(head.subarray(end + 4));
    child.stdout.pipe(answer);
  };
  child.stdout.on('data', readHead);
  child.once('error', () => answer.destroy());
  child.stdout.once('end', () => answer.end());
}

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

async function endGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('close', resolve));
  process.kill(-child.pid, 'SIGKILL');
  await ended;
}
