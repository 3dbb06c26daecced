import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Instantiates the WebAssembly engine for the given data models and adapter factory. */
export async function loadEngine({ datamodels, adapter }) {
  globalThis.PRISMA_WASM_PANIC_REGISTRY = {
    set_message: (message) => process.stderr.write(`wasm panic: ${message}\n`),
  };
  const bindings = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const file = require.resolve('@prisma/schema-engine-wasm/schema_engine_bg').replace(/\.js$/, '.wasm');
  const { instance } = await WebAssembly.instantiate(readFileSync(file), {
    './schema_engine_bg.js': bindings,
  });
  bindings.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  return bindings.SchemaEngine.new(
    { datamodels: datamodels.length > 0 ? datamodels : undefined },
    () => {},
    adapter,
  );
}
