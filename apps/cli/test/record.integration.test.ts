import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { createTestDatabase, tempDir } from '@baton/testkit';
import pg from 'pg';
import { expect, it } from 'vitest';

import { createBench } from './support/bench.ts';

const plan = `name: small
stages:
  - name: only
    steps:
      - key: one
        title: Write one
        agent: { command: [node, -e, "require('fs').writeFileSync('one.txt', 'one')"] }
      - key: two
        title: Write two
        depends_on: [one]
        agent: { command: [node, -e, "require('fs').writeFileSync('two.txt', 'two')"] }
`;

it(
  'writes heads, archives what is over, and finds what was cut off',
  { tags: ['long'], timeout: 120_000 },
  async () => {
    await using bench = await createBench({ 'readme.txt': 'hello\n', 'plan.yaml': plan });
    await using safe = await tempDir();
    const heads = path.join(safe.path, 'heads.jsonl');
    const json = async (...args: string[]) => {
      const ended = await bench.baton([...args, '--json']);
      const told = JSON.parse(ended.stdout) as Record<string, unknown> & {
        events?: number;
        files?: string[];
      };
      return { ...told, exitCode: ended.exitCode };
    };
    expect((await bench.baton(['run', 'plan.yaml', '--json'])).exitCode).toBe(0);
    expect(await json('verify-audit', '--write-heads', heads)).toMatchObject({
      exitCode: 0,
      broken: [],
      archived: 0,
    });
    const printed = (await bench.baton(['verify-audit'])).stdout;
    const [, head = ''] = /^head (\d+:[0-9a-f]{64})$/m.exec(printed) ?? [];
    expect(await json('verify-audit', '--write-heads', heads)).toMatchObject({ head, headWritten: heads });
    expect((await readFile(heads, 'utf8')).trimEnd().split('\n')).toHaveLength(2);

    const dry = await json('archive', '--older-than', '0d', '--dry-run');
    expect(dry).toMatchObject({ dryRun: true, files: [] });
    expect(await json('archive')).toMatchObject({ events: 0 });
    const moved = await json('archive', '--older-than', '0d');
    expect(moved.events).toBe(dry.events);
    expect(moved.events).toBeGreaterThan(10);
    const after = await json('verify-audit', '--heads', heads, '--head', head);
    expect(after).toMatchObject({
      exitCode: 0,
      broken: [],
      headsChecked: 3,
      archiveChecked: moved.events,
    });
    expect(await json('status')).toMatchObject({ exitCode: 0 });
    expect(await json('prune', '--older-than', '0d')).toMatchObject({ exitCode: 0 });

    const [first = ''] = (await readFile(heads, 'utf8')).split('\n');
    for (const text of ['', '{}\n', `${first.replace(/"storeId":"[^"]*"/, '"storeId":"another"')}\n`]) {
      await writeFile(`${heads}.bad`, text);
      const ended = await bench.call(['verify-audit', '--heads', `${heads}.bad`, '--json']);
      expect(JSON.parse(ended.stdout)).toMatchObject({
        error: { code: 'RECORD_FILE_INVALID', at: `${heads}.bad:1` },
      });
    }
    const typed = await bench.call(['verify-audit', '--head', head.slice(0, -1), '--json']);
    expect(JSON.parse(typed.stdout)).toMatchObject({ error: { code: 'INVALID_INPUT', at: '--head' } });
    const other = await bench.baton([
      'verify-audit',
      '--head',
      head.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    ]);
    expect(other.exitCode).toBe(1);
    expect(other.stdout).toContain('the log before here was rewritten');
    const missing = await bench.call(['verify-audit', '--heads', `${heads}.no`, '--json']);
    expect(JSON.parse(missing.stdout)).toMatchObject({ error: { code: 'FILE_MISSING' } });

    const [file = ''] = moved.files ?? [];
    await writeFile(file, (await readFile(file, 'utf8')).replace('"reason"', '"reasoN"'));
    const edited = await bench.baton(['verify-audit', '--json']);
    expect(edited.exitCode).toBe(2);
    expect(JSON.parse(edited.stdout)).toMatchObject({ error: { code: 'RECORD_FILE_INVALID' } });
  },
);

it(
  'logs before it answers where that is asked for, and says of a tampered store what and where',
  { timeout: 60_000 },
  async () => {
    await using bench = await createBench({ 'plan.yaml': plan });
    await using database = await createTestDatabase({
      migrate: () => Promise.resolve(),
      templateKey: 'empty',
    });
    const env = { DATABASE_URL: database.url };
    expect((await bench.baton(['run', 'plan.yaml', '--json'], { env })).exitCode).toBe(0);
    expect((await bench.call(['doctor'], { env })).stdout).toMatch(
      /^ok +record +\d+ events: the log holds$/m,
    );
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const unlogged = async () =>
      (await client.query<{ events: number }>('SELECT count(*)::int AS events FROM baton_unlogged')).rows[0]
        ?.events;
    expect((await bench.call(['budget', '5'], { env })).exitCode).toBe(0);
    expect(await unlogged()).toBe(1);
    const logged = { ...env, BATON_ANSWER_AFTER_LOGGED: 'true' };
    expect((await bench.call(['budget', '6'], { env: logged })).exitCode).toBe(0);
    expect(await unlogged()).toBe(0);
    const mistyped = await bench.call(['budget', '7'], { env: { ...env, BATON_ANSWER_AFTER_LOGGED: 'yes' } });
    expect(mistyped.exitCode).toBe(2);
    expect(mistyped.stderr).toContain('BATON_ANSWER_AFTER_LOGGED');
    await client.query('SET session_replication_role = replica');
    const { rows } = await client.query<{ entity_id: string }>(
      `UPDATE change SET reason = 'nothing to see' WHERE task_seq = 2 RETURNING task_id AS entity_id`,
    );
    await client.end();
    const ended = await bench.baton(['verify-audit', '--json'], { env });
    expect(ended.exitCode).toBe(1);
    const doctor = await bench.call(['doctor'], { env });
    expect(doctor.exitCode).toBe(1);
    expect(doctor.stdout).toMatch(
      /^fail record +\d+ breaks? among \d+ events: .*\n +fix: .*`baton verify-audit`/m,
    );
    const found = JSON.parse(ended.stdout) as { broken: { entityId: string; seq: number; what: string }[] };
    expect(found.broken.map(({ entityId, seq, what }) => `${entityId} ${seq} ${what}`).sort()).toEqual(
      rows.map((row) => `${row.entity_id} 2 changed since it was logged`).sort(),
    );
  },
);
