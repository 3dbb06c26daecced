import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { crashCatalogue, type CrashCatalogue } from '@baton/testkit';
import { statementFiles } from '../../support/statement-files.ts';

const root = fileURLToPath(new URL('../../../../../', import.meta.url));
const store = path.join(root, 'packages/task-store');
/** Whatever takes part in carrying out a run. */
const folders = ['spawner', 'janitor', 'task-store', 'embedded-postgres']
  .map((name) => `packages/${name}/src`)
  .concat('apps/worker/src', 'apps/cli/src/run');

/** All crash points of the code that carries out runs: from its statements, its Prisma calls and its text. */
export async function productionCatalogue(): Promise<CrashCatalogue> {
  return crashCatalogue({ root, folders, statements: await statements(), more: prismaWrites() });
}

/** Every named statement of the store, and whether it only reads. */
async function statements(): Promise<Record<string, boolean>> {
  const found: Record<string, boolean> = {};
  for (const file of statementFiles) {
    const module = (await import(file)) as Record<string, unknown>;
    for (const one of Object.values(module)) {
      if (typeof one !== 'object' || one === null || !('text' in one) || !('readonly' in one)) continue;
      const { name: statement, readonly } = one as unknown as { name: string; readonly: boolean };
      found[statement] = readonly;
    }
  }
  return found;
}

/** Writes through Prisma, as the statements that it makes of them. */
function prismaWrites(): string[] {
  const schema = readFileSync(path.join(store, 'prisma/schema.prisma'), 'utf8');
  const tables = new Map(
    [...schema.matchAll(/^model (\w+) \{([^}]*)\}/gm)].map(([, model = '', body = '']) => [
      model.charAt(0).toLowerCase() + model.slice(1),
      /@@map\("(\w+)"\)/.exec(body)?.[1] ?? model,
    ]),
  );
  const points = new Set(['pg:begin', 'pg:commit', 'pg:notify']);
  const src = path.join(store, 'src');
  const code = readdirSync(src, { recursive: true, encoding: 'utf8' });
  for (const name of code.filter((each) => each.endsWith('.ts') && !each.startsWith('generated'))) {
    const text = readFileSync(path.join(src, name), 'utf8');
    for (const [, model = '', call = ''] of text.matchAll(/prisma\.(\w+)\.(create|update|upsert|delete)/g)) {
      const verb = { create: 'insert', upsert: 'insert', update: 'update', delete: 'delete' }[call] ?? call;
      points.add(`pg:${verb} ${tables.get(model) ?? model}`);
    }
  }
  return [...points];
}
