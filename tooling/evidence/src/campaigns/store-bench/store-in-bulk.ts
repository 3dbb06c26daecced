import { migrate, openStore, type Claim, type Progress, type Store } from '@baton/task-store';
import { inLoops, type ContenderKind } from './contender.ts';
import { fillStore, storeLeft } from './store-contender.ts';

const loops = 4;
const perStatement = 50;
const commit = 'b'.repeat(40);

const holdingOf = ({ tasks }: Claim) => {
  const attempt = tasks[0]?.attempt;
  if (attempt === undefined) throw new Error('a claim without a task');
  return { attemptId: attempt.id, fence: attempt.fence };
};

function started(claim: Claim): [Progress, ...Progress[]] {
  const holding = holdingOf(claim);
  const process = { adapter: 'command', model: null, pid: 1, pidStarted: '1', workspace: '/bench' };
  return [
    { fact: 'launched', holdings: [holding], ...process, deadlineAt: null, route: {} },
    { fact: 'ready', holding, baseCommit: commit, startCommit: commit },
  ];
}

function done(claim: Claim): [Progress] {
  const range = { baseCommit: commit, startCommit: commit, headCommit: commit };
  return [{ fact: 'done', holding: holdingOf(claim), ...range, summary: 'done' }];
}

/** Fifty tasks from OPEN to DONE, all at one moment: three statements; how many there were. */
async function carryOutMany(store: Store, workerId: string): Promise<number> {
  const capabilities = { host: 'bench', labels: [] };
  const request = { workerId, maxTasks: 1, leaseMs: 120_000, capabilities };
  const asked = Array.from({ length: perStatement }, () => store.claims.claimBatch(request));
  const claims = (await Promise.all(asked)).filter((claim) => claim !== null);
  if (claims.length === 0) return 0;
  const by = { actor: `worker:${workerId}` };
  for (const reports of [claims.map(started), claims.map(done)]) {
    const outcomes = await Promise.all(reports.map((facts) => store.claims.recordAll(facts, by)));
    const refused = outcomes.find((outcome) => !outcome.ok);
    if (refused?.ok === false) throw new Error(`${refused.code}: ${refused.message}`);
  }
  return claims.length;
}

/** The store as it ships, fifty tasks a statement. */
export function storeInBulk(name: string): ContenderKind {
  return {
    name,
    usesStore: true,
    async open(url) {
      await migrate(url);
      const store = await openStore({ url, poolSize: loops });
      let fills = 0;
      return {
        name,
        url,
        fill: async (tasks) => {
          await fillStore(store, { tasks, name: `fill-${fills++}` });
        },
        leftSql: storeLeft,
        start: () => Promise.resolve(inLoops(loops, (loop) => carryOutMany(store, `bench-${loop}`))),
        close: () => store.close(),
      };
    },
  };
}
