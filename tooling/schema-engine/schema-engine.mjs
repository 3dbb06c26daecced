#!/usr/bin/env node
// Stands in for Prisma's native schema engine, which `prisma` would otherwise download: the same JSON-RPC over stdio, served by
// the WebAssembly build over the pg driver adapter. `prisma` finds it through PRISMA_SCHEMA_ENGINE_BINARY.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { migrationAdapter, runDatabaseCommand } from './adapter.mjs';
import { loadEngine } from './engine.mjs';

const args = process.argv.slice(2);

/** The value after `--name`, or undefined. */
function option(name) {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args[at + 1];
}

if (args.includes('--version')) {
  process.stdout.write('schema-engine-wasm\n');
  process.exit(0);
}

const { url } = JSON.parse(option('--datasource') ?? '{}');
const command = option('cli');
if (command !== undefined) process.exit(await runDatabaseCommand(command, url));

const datamodels = args.flatMap((arg, at) =>
  arg === '--datamodels' ? [[args[at + 1], readFileSync(args[at + 1], 'utf8')]] : [],
);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

let engine;
for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === '') continue;
  const { id, method, params } = JSON.parse(line);
  // A line without a method is the answer to our own `print`.
  if (!method) continue;
  try {
    engine ??= await loadEngine({ datamodels, adapter: migrationAdapter(url) });
    // The native engine looks for drift before these two by itself; the WebAssembly build expects to be asked.
    if (method === 'evaluateDataLoss' || method === 'createMigration') {
      await engine.devDiagnostic({ migrationsList: params.migrationsList, filters: params.filters });
    }
    const result = (await engine[method === 'getDatabaseVersion' ? 'version' : method](params)) ?? {};
    if (method === 'diff' && result.stdout)
      send({ id: 1, method: 'print', params: { content: result.stdout } });
    send({ id, result });
  } catch (error) {
    const data = {
      is_panic: false,
      message: error.message,
      error_code: error.code ?? null,
      meta: error.meta ?? null,
    };
    send({
      id,
      error: { code: 4466, message: 'An error happened. Check the data field for details.', data },
    });
  }
}
process.exit(0);
