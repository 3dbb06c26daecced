import { expect, it } from 'vitest';
import type { Statement } from '../src/db/statement.ts';
import { draft } from './support/builders.ts';
import { passed } from './support/flow.ts';
import { statementFiles } from './support/statement-files.ts';
import { testStore } from './support/store.ts';

const held = testStore();
const odd = 'a\0b \ud83c \udf89 \uffff \u0001';
const kept = 'a\uFFFDb \uFFFD \uFFFD \uffff \u0001';

it('keeps a verdict on a base whose gate printed NUL and halves of characters', async () => {
  const { runId } = await held.flow.open([draft('a')]);
  const results = [
    {
      name: odd,
      kind: 'gate',
      required: true,
      passed: false,
      reason: odd,
      output: odd,
      durationMs: 1,
      cached: false,
    },
  ] as const;
  await held.store.runs.saveBaseVerdict(runId, {
    checksHash: 'h',
    verdict: { ...passed('t'), passed: false, reasons: [odd], results: [...results] },
  });
  const saved = await held.store.runs.baseVerdict(runId);
  expect(saved?.reasons).toEqual([kept]);
  expect(saved?.results[0]).toMatchObject({ name: kept, reason: kept, output: kept });
});

it('takes such text wherever somebody may say something: reasons, names, summaries, notes', async () => {
  const { runId } = await held.flow.open([draft('a')]);
  await held.store.runs.fail(runId, { actor: 'test', reason: odd });
  expect(JSON.stringify(await held.store.tasks.history({ machine: 'run', entityId: runId }))).not.toContain(
    '\\u0000',
  );
  await held.store.keys.create({
    id: '01a20000-0000-7000-8000-000000000001',
    name: odd,
    hash: odd,
    prefix: odd,
    scopes: ['viewer'],
  });
  expect((await held.store.keys.list()).map(({ name }) => name)).toContain(kept);
  await held.store.feed.setCursor(odd, 3);
  expect(await held.store.feed.getCursor(odd)).toBe(3);
});

it('casts every JSON parameter of every statement in place, so that none is bound uncleaned', async () => {
  const statements: Statement[] = [];
  for (const file of statementFiles) {
    const module = (await import(file)) as Record<string, unknown>;
    for (const value of Object.values(module)) if (isStatement(value)) statements.push(value);
  }
  expect(statements.length).toBeGreaterThan(60);
  const uncast: string[] = [];
  for (const { name, text } of statements) {
    await held.sql(`PREPARE "${name}" AS ${text}`);
    const [row] = await held.sql(
      'SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = $1',
      [name],
    );
    (row?.['types'] as string[]).forEach((type, index) => {
      const cast = new RegExp(`\\$${index + 1}::jsonb?\\b`);
      if (/^jsonb?(\[\])?$/.test(type) && !cast.test(text)) uncast.push(`${name}: $${index + 1}`);
    });
  }
  expect(uncast).toEqual([]);
});

function isStatement(value: unknown): value is Statement {
  return typeof value === 'object' && value !== null && 'text' in value && 'row' in value && 'name' in value;
}
