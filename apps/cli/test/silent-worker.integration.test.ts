import { hostname } from 'node:os';

import { plan } from '@baton/contracts';
import { expect, it } from 'vitest';
import { inParts } from '@baton/testkit';

import { createBench } from './support/bench.ts';
import { runDraftOf } from './support/run-draft.ts';
import { createTestStore } from './support/test-store.ts';

const by = { actor: 'operator:tester', reason: 'test' };
const hourMs = 3_600_000;

/** Gives a process a clock that is wrong by so much: that of the database is then wrong by as much the other way. */
const clockOff = (ms: number) =>
  `--import=data:text/javascript,const D=Date;globalThis.Date=class extends D{constructor(...a){a.length?super(...a):super(D.now()+${ms})}static now(){return D.now()+${ms}}}`;

for (const [cases, tagged] of inParts(1, [
  ['an hour ahead', hourMs],
  ['an hour behind', -hourMs],
]))
  it.each(cases)(
    'the database says whether a worker of another host lives, though the clock here is %s',
    tagged,
    async (_what, ms) => {
      await using bench = await createBench();
      await using database = await createTestStore();
      const { store, url } = database;
      const stages = [{ name: 'all', steps: [{ key: 'a', title: 'a' }] }];
      const draft = runDraftOf(plan.parse({ name: 'far', stages }), 'far');
      const repo = { location: bench.repo.path, host: hostname() };
      const { run } = await store.runs.create({ ...draft, repo, target: 'main' }, by);
      await store.runs.approvePlan(run.id, by);
      await store.workers.register({
        ...{ id: 'far', name: 'far', host: 'elsewhere', pid: 7, pidStarted: '1', bootId: 'b' },
        ...{ capacity: 1, version: '0', labels: [], runId: run.id },
      });
      const options = {
        env: { DATABASE_URL: url },
        nodeArguments: ['--conditions=@baton/source', '--no-warnings', clockOff(ms)],
      };
      const resume = () => bench.baton(['run', '--resume', 'far', '--dry-run'], options);
      const lastSign = async () => (await bench.baton(['workers'], options)).stdout;
      expect(await resume(), 'it lives').toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining(
          'error RUN_BUSY: The run far is being carried out by process 7',
        ) as string,
      });
      expect(await lastSign()).toMatch(/far .*(just now|\ds ago)/);
      await database.sql(`UPDATE worker SET heartbeat_at = now() - interval '5 minutes'`);
      expect(await resume(), 'it is dead').toMatchObject({ exitCode: 0, stdout: 'Would carry far on.\n' });
      expect(await lastSign()).toMatch(/far .*5m ago/);
    },
  );
