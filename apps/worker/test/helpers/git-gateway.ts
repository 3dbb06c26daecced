import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A host of git repositories behind a gateway, at a URL. */
export interface GitGateway extends AsyncDisposable {
  url: string;
}

/**
 * Serves the bare repositories of a folder over HTTP, by git itself. Of a push that it `loses` the client gets a time-out in place of the
 * answer when all of it has arrived, and the host works on; `taken` resolves when it has answered.
 */
export async function gitGateway(
  folder: string,
  { loses }: { loses: (push: string, taken: Promise<unknown>) => boolean | Promise<boolean> },
): Promise<GitGateway> {
  const server = createServer((request, response) => {
    void buffer(request).then(async (body) => {
      const answer = backend(folder, { request, body });
      const isPush = request.url?.endsWith('/git-receive-pack') === true;
      if (isPush && (await loses(body.toString('latin1'), answer))) return response.writeHead(504).end();
      const said = await answer;
      const end = said.indexOf('\r\n\r\n');
      for (const line of said.subarray(0, end).toString('latin1').split('\r\n')) {
        const [name = '', value = ''] = line.split(': ', 2);
        if (name === 'Status') response.statusCode = Number.parseInt(value, 10);
        else response.setHeader(name, value);
      }
      return response.end(said.subarray(end + 4));
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** What git answers to a request, by the Common Gateway Interface. */
function backend(
  folder: string,
  { request, body }: { request: IncomingMessage; body: Buffer },
): Promise<Buffer> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://here');
  const { headers } = request;
  const child = spawn('git', ['http-backend'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      ...{ PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
      ...{ GIT_PROJECT_ROOT: folder, GIT_HTTP_EXPORT_ALL: '1', REMOTE_USER: 'anyone' },
      ...{ REQUEST_METHOD: request.method, PATH_INFO: pathname, QUERY_STRING: searchParams.toString() },
      ...{ CONTENT_TYPE: headers['content-type'], CONTENT_LENGTH: String(body.length) },
      HTTP_CONTENT_ENCODING: headers['content-encoding'],
      GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
    },
  });
  child.stdin.on('error', () => undefined); // git may answer before it has read all
  child.stdin.end(body);
  return buffer(child.stdout);
}
