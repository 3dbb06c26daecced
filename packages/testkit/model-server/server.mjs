#!/usr/bin/env node
// A scripted stand-in for the model APIs that coding-agent CLIs talk to. Plain Node >= 18, no
// dependencies, loopback only. One process speaks four protocols, told apart by the request path:
//
//   Anthropic Messages        POST …/messages              (claude-code, and others in Anthropic mode)
//   OpenAI Responses          POST …/responses             (codex)
//   OpenAI Chat Completions   POST …/chat/completions      (opencode, qwen-code, pi, cline, cn, …)
//   Gemini generateContent    POST …/models/M:[stream]generateContent   (gemini-cli)
//
// What the "model" answers is a script, a JSON list of turns; see README.md. The turn served is
// worked out from the request's own history (how often the model has already spoken), so retries,
// side calls, parallel agents and resumed sessions do not push the script out of step.

import http from 'node:http';
import fs from 'node:fs';
import { pathToFileURL } from 'node:url';
import { SHELL, WRITE, pick, toCall } from './calls.mjs';
import { readers } from './readers.mjs';
import { expand, findCwd, normalise } from './scripts.mjs';
import { sleep } from './text.mjs';
import { errorReply, writers } from './writers.mjs';

// ---------------------------------------------------------------- the server

/**
 * @param {{script?: object, port?: number, log?: string, bodies?: string, verbose?: boolean}} options
 *   script: see README; port: 0 picks one; log: a JSONL file, one line a request; bodies: a folder for whole requests.
 * @returns {Promise<{url: string, port: number, requests: object[], setScript(s): void, close(): Promise<void>}>}
 */
export async function startFakeModelServer(options = {}) {
  let book = normalise(options.script ?? [{ say: 'Done.' }]);
  const requests = [];
  const failures = new Map(); // script#turn -> how often its error was served
  const open = new Set();
  if (options.bodies) fs.mkdirSync(options.bodies, { recursive: true });

  const note = (entry) => {
    requests.push(entry);
    if (options.log) fs.appendFileSync(options.log, JSON.stringify(entry) + '\n');
    if (options.verbose) process.stderr.write(JSON.stringify(entry) + '\n');
  };

  async function handle(req, res, raw) {
    const url = req.url ?? '/';
    const path = url.split('?')[0];
    const json = (status, body, headers = {}) => {
      res.writeHead(status, { 'content-type': 'application/json', ...headers });
      res.end(typeof body === 'string' ? body : JSON.stringify(body));
    };
    if (path === '/__fake/requests') return json(200, requests);
    if (path === '/__fake/script' && req.method === 'POST') {
      book = normalise(JSON.parse(raw));
      failures.clear();
      return json(200, {});
    }

    const protocol = /\/messages$/.test(path)
      ? 'anthropic'
      : /\/chat\/completions$/.test(path)
        ? 'chat'
        : /\/responses$/.test(path)
          ? 'responses'
          : /:(stream)?[gG]enerateContent$/.test(path)
            ? 'gemini'
            : null;
    if (options.bodies)
      fs.writeFileSync(
        `${options.bodies}/${String(requests.length).padStart(3, '0')}-${protocol ?? 'other'}.json`,
        raw || '{}',
      );
    if (!protocol || req.method !== 'POST') {
      note({ at: Date.now(), method: req.method, path: url });
      if (/\/count_tokens$/.test(path)) return json(200, { input_tokens: 100 });
      if (/:countTokens$/.test(path)) return json(200, { totalTokens: 100 });
      if (/\/models$/.test(path) && req.method === 'GET') {
        const ids = book.models ?? ['fake-model'];
        return json(200, {
          object: 'list',
          data: ids.map((id) => ({
            id,
            object: 'model',
            type: 'model',
            display_name: id,
            created: 0,
            owned_by: 'fake',
          })),
          models: [],
        });
      }
      return json(404, { error: { message: `fake-model-server: no ${path}` } });
    }

    const body = JSON.parse(raw || '{}');
    const q = readers[protocol](body, url);
    // Which script: a name in the URL (/s/NAME/…), else the first whose `when` matches the user's words.
    const named = /^\/s\/([^/]+)\//.exec(path)?.[1];
    let match = null;
    const index = book.scripts.findIndex((s) =>
      named ? s.name === named : !s.when || (match = new RegExp(s.when).exec(q.user)),
    );
    const script = book.scripts[index];
    // Side calls (titles, summaries, routing) offer the model no tool that writes or runs anything.
    const side = !toCallable(q.tools);
    const last = (script?.turns.length ?? 1) - 1;
    const at = Math.min(q.turn, last);
    const over = q.turn > last && script?.turns[last]?.do; // never repeat a tool call for ever
    const turn = over
      ? { say: 'Done.' }
      : side || !script
        ? {
            say: book.side ?? 'Scripted title',
            ...(protocol === 'gemini' && body.generationConfig?.responseJsonSchema
              ? { say: jsonFor(body.generationConfig.responseJsonSchema) }
              : {}),
          }
        : script.turns[at];
    const entry = {
      at: Date.now(),
      protocol,
      path: url,
      model: q.model,
      script: script?.name ?? index,
      turn: side ? 'side' : at,
      stream: q.stream,
      tools: q.tools.map((t) => t.name),
      retry: req.headers['x-stainless-retry-count'],
      auth: ['authorization', 'x-api-key', 'x-goog-api-key'].filter((h) => h in req.headers),
    };
    if (options.headers) entry.headers = req.headers;

    if (turn.delayMs) await sleep(turn.delayMs);
    const err = turn.error;
    if (err) {
      const key = `${index}#${at}`;
      const n = (failures.get(key) ?? 0) + 1;
      if (n <= (err.times ?? Infinity)) {
        failures.set(key, n);
        note({ ...entry, status: err.status, failure: n });
        const r = errorReply(protocol, err);
        return json(err.status, r.body, r.headers);
      }
    }
    if (turn.hang) {
      note({ ...entry, status: 'hang' });
      return;
    } // the socket stays open until the client gives up

    const vars = {
      cwd: findCwd(q.all),
      ...(match ? Object.fromEntries([...match].map((v, i) => [i, v ?? ''])) : {}),
      ...(match?.groups ?? {}),
    };
    const calls = expand(turn.do ?? [], vars)
      .map((a) => toCall(a, q.tools))
      .filter(Boolean);
    const usage = { input: 1000, output: 50, cached: 0, cacheWrite: 0, ...turn.usage };
    const answer = writers[protocol]({
      text: expand(turn.say ?? '', vars),
      calls,
      usage,
      model: turn.model ?? q.model,
      turn: at,
    });
    note({ ...entry, status: 200, calls: calls.map((c) => c.name) });
    const headers = { 'request-id': 'req_fake', ...turn.headers };
    if (!q.stream) return json(200, answer.body, headers);
    res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...headers });
    const stopAt =
      turn.cut || turn.streamError ? Math.max(1, answer.frames.length - 2) : answer.frames.length;
    for (const f of answer.frames.slice(0, stopAt)) {
      if (res.destroyed) return;
      res.write(f);
      if (turn.frameDelayMs) await sleep(turn.frameDelayMs);
    }
    if (turn.cut) return res.destroy();
    if (turn.streamError) res.write(answer.errorFrame(turn.streamError));
    res.end();
  }

  const server = http.createServer((req, res) => {
    const parts = [];
    req.on('data', (d) => parts.push(d));
    req.on('error', () => {});
    req.on('end', () =>
      handle(req, res, Buffer.concat(parts).toString('utf8')).catch((e) => {
        note({ at: Date.now(), path: req.url, failed: String(e?.stack ?? e) });
        if (!res.headersSent) res.writeHead(500);
        res.end();
      }),
    );
  });
  server.on('connection', (s) => {
    open.add(s);
    s.on('close', () => open.delete(s));
  });
  await new Promise((ok, no) => server.once('error', no).listen(options.port ?? 0, '127.0.0.1', ok));
  const port = server.address().port;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    setScript(s) {
      book = normalise(s);
      failures.clear();
    },
    close: () =>
      new Promise((ok) => {
        server.close(() => ok());
        for (const s of open) s.destroy();
      }),
  };
}

const toCallable = (tools) =>
  Boolean(pick(tools, WRITE) ?? pick(tools, SHELL) ?? tools.find((t) => t.name === 'exec' && t.freeform));

function jsonFor(schema) {
  // the least JSON value that fits a response schema (gemini's routing calls)
  const make = (s) =>
    s?.enum
      ? s.enum[0]
      : s?.type === 'object'
        ? Object.fromEntries(Object.entries(s.properties ?? {}).map(([k, v]) => [k, make(v)]))
        : s?.type === 'array'
          ? []
          : s?.type === 'number' || s?.type === 'integer'
            ? 0
            : s?.type === 'boolean'
              ? false
              : 'scripted';
  return JSON.stringify(make(schema));
}

// ---------------------------------------------------------------- command line

if (process.argv[1] && import.meta.url === pathToFileURL(fs.realpathSync(process.argv[1])).href) {
  const arg = (name) => {
    const i = process.argv.indexOf('--' + name);
    return i < 0 ? undefined : process.argv[i + 1];
  };
  const script = arg('script') ? JSON.parse(fs.readFileSync(arg('script'), 'utf8')) : undefined;
  const s = await startFakeModelServer({
    script,
    port: Number(arg('port') ?? 0),
    log: arg('log'),
    bodies: arg('bodies'),
    headers: process.argv.includes('--headers'),
    verbose: process.argv.includes('--verbose'),
  });
  process.stdout.write(s.url + '\n');
  if (arg('port-file')) fs.writeFileSync(arg('port-file'), String(s.port));
  for (const sig of ['SIGINT', 'SIGTERM']) process.on(sig, () => s.close().then(() => process.exit(0)));
}
