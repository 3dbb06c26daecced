import { openStore, type Claim, type Fact, type Holding, type Lane, type Store } from '@baton/task-store';
import pg from 'pg';
import { storeDatabase } from '../../../../../packages/task-store/test/support/database.ts';

/** A store of one case's own, and what its steps remember. */
export interface Stage extends AsyncDisposable {
  store: Store;
  url: string;
  /** Ids of runs by the names that the case gives them, first one first. */
  runs: Map<string, string>;
  /** Who holds what, by task id. */
  holdings: Map<string, Holding>;
  claims: Map<string, Claim>;
  lane: Lane | null;
  tell(fact: Fact): Promise<void>;
  /** Id of a run; the first one when left out. */
  runId(name?: string): string;
  /** Id of a task by `key` (first run) or `run/key`. */
  taskId(reference: string): Promise<string>;
  holding(reference: string): Promise<Holding>;
  claimOf(reference: string): Promise<Claim>;
  /** Moves timestamps, and nothing else. */
  sql(text: string): Promise<void>;
}

/** Opens an empty store; it is dropped at the end of the `await using` block. */
export async function openStage(): Promise<Stage> {
  const database = await storeDatabase();
  const store = await openStore({ url: database.url, random: () => 0, poolSize: 3 });
  const runs = new Map<string, string>();
  const holdings = new Map<string, Holding>();
  const claims = new Map<string, Claim>();
  const runId = (name?: string): string => {
    const id = name === undefined ? runs.values().next().value : runs.get(name);
    if (id === undefined)
      throw new Error(name === undefined ? 'no run was made' : `no run "${name}" was made`);
    return id;
  };
  const taskId = async (reference: string): Promise<string> => {
    const [key, run] = reference.split('/').reverse();
    return (await store.tasks.find(key ?? '', { runId: runId(run) })).id;
  };
  const kept = async <T>(from: Map<string, T>, reference: string): Promise<T> => {
    const found = from.get(await taskId(reference));
    if (found === undefined) throw new Error(`nobody has claimed or taken "${reference}"`);
    return found;
  };
  return {
    store,
    url: database.url,
    runs,
    holdings,
    claims,
    lane: null,
    runId,
    taskId,
    holding: (reference) => kept(holdings, reference),
    claimOf: (reference) => kept(claims, reference),
    async tell(fact) {
      const outcome = await store.claims.record(fact, { actor: 'worker:w1' });
      if (!outcome.ok) throw new Error(`${fact.fact}: ${outcome.code}: ${outcome.message}`);
    },
    async sql(text) {
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      await client.query(text).finally(() => client.end());
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      await database[Symbol.asyncDispose]();
    },
  };
}
