import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';

/** Postgres error code → the code that `prisma` expects from its engine. */
const engineCodes = { '3D000': 'P1003', '28P01': 'P1000', '42P04': 'P1009' };
/** Type ids of "char" and of text. */
const charType = 18;
const textType = 25;

/** `url` with another database. */
function withDatabase(url, name) {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}

async function query(url, sql) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    if (sql) await client.query(sql);
  } finally {
    await client.end();
  }
}

/** `cli can-connect-to-database | create-database | drop-database`. Resolves with the exit code. */
export async function runDatabaseCommand(command, url) {
  const name = pg.escapeIdentifier(decodeURIComponent(new URL(url).pathname.slice(1)));
  try {
    if (command === 'can-connect-to-database') await query(url);
    else if (command === 'create-database')
      await query(withDatabase(url, 'postgres'), `CREATE DATABASE ${name}`);
    else if (command === 'drop-database') {
      await query(withDatabase(url, 'postgres'), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    }
    return 0;
  } catch (error) {
    const fields = {
      message: error.message || String(error.code ?? error),
      is_panic: false,
      error_code: engineCodes[error.code] ?? 'P1001',
      meta: {},
    };
    const timestamp = new Date().toISOString();
    const line = { timestamp, level: 'ERROR', target: 'schema_engine::logger', fields };
    process.stderr.write(`schema-engine-wasm\n${JSON.stringify(line)}\n`);
    return 1;
  }
}

/** The engine reads "char" columns of the catalogue as characters and runs scripts of many statements: the adapter does neither. */
function complete(adapter) {
  const driver = adapter.underlyingDriver();
  const query = driver.query.bind(driver);
  const queryRaw = adapter.queryRaw.bind(adapter);
  let characters = [];
  driver.query = async (...args) => {
    const result = await query(...args);
    (result.fields ?? []).forEach((field, at) => {
      if (field.dataTypeID !== charType) return;
      field.dataTypeID = textType;
      characters.push(at);
    });
    return result;
  };
  adapter.queryRaw = async (request) => {
    characters = [];
    const result = await queryRaw(request);
    for (const at of characters) result.columnTypes[at] = ColumnTypeEnum.Character;
    return result;
  };
  adapter.executeScript = async (sql) => {
    try {
      await query(sql);
    } catch (error) {
      adapter.onError(error);
    }
  };
  return adapter;
}

/** The adapter factory that the engine works through; shadow databases are made beside the main one and dropped again. */
export function migrationAdapter(url) {
  const schema = url ? new URL(url).searchParams.get('schema') : null;
  const make = (address) =>
    new PrismaPg({ connectionString: address, max: 1 }, schema ? { schema } : undefined);
  const base = make(url);
  const connectToShadowDb = async () => {
    const main = complete(await base.connect());
    const name = `prisma_migrate_shadow_db_${randomUUID()}`;
    await main.executeScript(`CREATE DATABASE "${name}"`);
    const shadow = complete(await make(withDatabase(url, name)).connect());
    const dispose = shadow.dispose.bind(shadow);
    shadow.dispose = async () => {
      await dispose();
      await main.executeScript(`DROP DATABASE "${name}"`);
      await main.dispose();
    };
    return shadow;
  };
  return bindMigrationAwareSqlAdapterFactory({
    provider: base.provider,
    adapterName: base.adapterName,
    connect: async () => complete(await base.connect()),
    connectToShadowDb,
  });
}
