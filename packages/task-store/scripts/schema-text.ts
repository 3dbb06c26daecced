import type pg from 'pg';

/** What each question to the catalog gives: the lines of one kind of thing, in the order of their names. */
const questions = [
  `SELECT format('CREATE TYPE %s AS RANGE (subtype = %s);', t.typname, format_type(r.rngsubtype, NULL)) AS line
     FROM pg_range r JOIN pg_type t ON t.oid = r.rngtypid WHERE t.typnamespace = 'public'::regnamespace ORDER BY t.typname`,
  `SELECT format(E'CREATE TABLE %s (\\n%s\\n)%s;', c.relname,
       string_agg(format('  %s %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
         CASE WHEN a.attidentity <> '' THEN ' GENERATED ALWAYS AS IDENTITY'
              WHEN a.attgenerated <> '' THEN ' GENERATED ALWAYS AS ' || pg_get_expr(d.adbin, d.adrelid) || ' STORED'
              WHEN d.oid IS NOT NULL THEN ' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid) ELSE '' END,
         CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END), E',\\n' ORDER BY a.attname COLLATE "C"),
       coalesce(' WITH (' || array_to_string(c.reloptions, ', ') || ')', '')) AS line
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> '_prisma_migrations'
    GROUP BY c.oid, c.relname, c.reloptions ORDER BY c.relname COLLATE "C"`,
  `SELECT format('ALTER TABLE %s ADD CONSTRAINT %s %s;', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS line
     FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND conrelid <> 0 AND contype <> 'n'
      AND conrelid::regclass::text <> '_prisma_migrations'
    ORDER BY conrelid::regclass::text COLLATE "C", conname COLLATE "C"`,
  `SELECT pg_get_indexdef(i.indexrelid) || ';' AS line FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE c.relnamespace = 'public'::regnamespace AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid)
    ORDER BY c.relname COLLATE "C"`,
  `SELECT format('CREATE VIEW %s (%s);', c.relname,
       string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', ' ORDER BY a.attnum)) AS line
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'v' GROUP BY c.relname ORDER BY c.relname COLLATE "C"`,
  `SELECT format('CREATE FUNCTION %s(%s) RETURNS %s LANGUAGE %s%s%s%s;', p.proname, pg_get_function_arguments(p.oid),
       pg_get_function_result(p.oid), l.lanname,
       CASE p.provolatile WHEN 'i' THEN ' IMMUTABLE' WHEN 's' THEN ' STABLE' ELSE '' END,
       CASE p.proparallel WHEN 's' THEN ' PARALLEL SAFE' ELSE '' END,
       coalesce((SELECT string_agg(' SET ' || replace(x, '=', ' = '), '') FROM unnest(p.proconfig) x), '')) AS line
     FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
    WHERE p.pronamespace = 'public'::regnamespace AND p.proname LIKE 'baton\\_%' ORDER BY p.proname COLLATE "C"`,
  `SELECT pg_get_triggerdef(t.oid) || ';' AS line FROM pg_trigger t WHERE NOT t.tgisinternal
    ORDER BY t.tgrelid::regclass::text COLLATE "C", t.tgname COLLATE "C"`,
];

/** The schema as a database has it: one block each for types, tables, constraints, indexes, views, functions and triggers; bodies of functions are left out. */
export async function schemaText(client: pg.Client): Promise<string> {
  const blocks: string[] = [];
  for (const question of questions) {
    const { rows } = await client.query<{ line: string }>(question);
    blocks.push(rows.map(({ line }) => line).join('\n'));
  }
  return `-- The schema as a migrated database has it; the texts of functions stand in ../sql. Don't edit.\n\n${blocks.join('\n\n')}\n`;
}
