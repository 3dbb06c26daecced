import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '..');

/** Text of the files below a folder whose paths pass, by path. */
function textsIn(folder: string, wanted: (file: string) => boolean): [file: string, text: string][] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => wanted(file))
    .map((file) => [`${folder}/${file}`, readFileSync(path.join(root, folder, file), 'utf8')]);
}

const sources = textsIn(
  'src',
  (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('generated'),
);

/** Tables by the names that Prisma's client gives their models. */
const tables = new Map(
  [
    ...readFileSync(path.join(root, 'prisma/schema.prisma'), 'utf8').matchAll(
      /^model (\w)(\w+) \{([^}]*)\}/gm,
    ),
  ].map(([, first = '', rest = '', body = '']) => [
    `${first.toLowerCase()}${rest}`,
    /@@map\("(\w+)"\)/.exec(body)?.[1] ?? '',
  ]),
);

const models = new Set(
  sources.flatMap(([, text]) =>
    [...text.matchAll(/\bprisma\.(\w+)\s*\.\w+\(/g)].map(([, model = '']) => model),
  ),
);

/** SQL: whole files of statements, functions of the database without the definitions of tables, and what other files send. */
const statements = sources
  .filter(([file]) => file.endsWith('.sql.ts'))
  .map(([file, text]) => [file, bare(text)]);
const functions = textsIn('sql', (file) => file.endsWith('.sql')).map(([file, text]) => [
  file,
  text
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/^(CREATE (UNIQUE )?(TABLE|INDEX)|CREATE TRIGGER|ALTER TABLE)\b[^;]*;/gm, ''),
]);
const clauses = sources
  .filter(([file]) => !file.endsWith('.sql.ts'))
  .map(([file, text]) => [
    file,
    [...bare(text).matchAll(/\b(?:FROM|JOIN|INTO|UPDATE|USING|TABLE|ONLY) +"?(\w+)/g)]
      .map(([all]) => all)
      .join('\n'),
  ]);

function bare(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
}

function naming(table: string): string[] {
  return [...statements, ...functions, ...clauses].flatMap(([file = '', text = '']) =>
    new RegExp(`\\b${table}\\b`).test(text) ? [file] : [],
  );
}

it('reaches each table through Prisma or in SQL, never both ways', () => {
  expect(models.size).toBeGreaterThan(0);
  for (const model of models) {
    const table = tables.get(model);
    expect(table, model).toBeTruthy();
    expect(naming(table ?? ''), `table ${table} is reached through Prisma, and in these files`).toEqual([]);
  }
});

it('sees where SQL names a table: in statements, in functions of the database and elsewhere', () => {
  expect(naming('command')).toEqual(
    expect.arrayContaining(['src/read/commands.sql.ts', 'sql/07-budgets.sql']),
  );
  expect(naming('cursor')).toEqual(
    expect.arrayContaining(['src/feed/cursor.sql.ts', 'sql/14-archive.sql', 'src/transfer/first-record.ts']),
  );
});
