import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import {
  createRepo,
  processStartTime,
  tempDir,
  until,
  type RepoSnapshot,
  type TestRepo,
} from '@baton/testkit';
import {
  runWatched,
  type Ended,
  type TrialSignals,
} from '../../../../packages/task-store/test/campaigns/torture/run-watched.ts';
import type { TortureServer } from '../../../../packages/task-store/test/campaigns/torture/server.ts';

import { ignoredFiles, type TortureScript } from './tough-plan.ts';

/** The program of the command line. */
export const batonMain = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const longestMs = 180_000;

/** The place of one trial: a repository, a state folder, a database. */
export interface RunPlace {
  repo: TestRepo;
  before: RepoSnapshot;
  /** The commit that the run began on. */
  base: string;
  home: string;
  /** The shared server's database; null: the embedded one in the state folder. */
  url: string | null;
  compileCache: string;
  plan: TortureScript;
}

/** What a place is made of. */
export interface PlaceOptions extends TrialSignals {
  /** Null: each trial has the embedded server of its own state folder. */
  server: TortureServer | null;
  /** The plan that is run, from the folder of its ledger; and what must come of it. */
  plan: TortureScript;
  /** Folder for what Node has compiled once. */
  compileCache: string;
}

/** Makes a place. All of it is gone at the end of the `await using` block. */
export async function openPlace(options: PlaceOptions): Promise<RunPlace & AsyncDisposable> {
  const { server, compileCache, plan, signal } = options;
  const made = new AsyncDisposableStack();
  try {
    const home = made.use(await tempDir());
    const repo = made.use(
      await createRepo({ 'shared.txt': 'shared\n', '.gitignore': ignoredFiles['.gitignore'] }),
    );
    await repo.write({
      ...ignoredFiles,
      'plan.yaml': plan.text(home.path),
      'next.yaml': plan.nextText(home.path),
    });
    await plan.prepare?.(repo, home.path);
    const database = server === null ? null : await server.fresh();
    made.defer(async () => {
      if (signal?.aborted && server === null) await endOwnServer(home.path);
      await database?.drop();
    });
    return {
      repo,
      before: await repo.snapshot(),
      base: await repo.git('rev-parse', 'HEAD'),
      home: home.path,
      url: database?.url ?? null,
      compileCache,
      plan,
      [Symbol.asyncDispose]: () => made.disposeAsync(),
    };
  } catch (error) {
    await made.disposeAsync();
    throw error;
  }
}

/** Calls `baton` in the repository of a place, by way of Node's arguments that come first. */
export async function callBaton(
  args: readonly string[],
  { place, signal }: TrialSignals & { place: RunPlace },
): Promise<Ended> {
  const { repo, home, url, compileCache, plan } = place;
  return runWatched(args, {
    cwd: repo.path,
    under: plan.under?.(repo.path) ?? [],
    env: {
      HOME: home,
      USER: 'tester',
      NO_COLOR: '1',
      BATON_POSTGRES_KEEP_SECONDS: '0',
      BATON_HOME: home,
      ...(url === null ? {} : { DATABASE_URL: url }),
      NODE_COMPILE_CACHE: compileCache,
    },
    longestMs,
    signal,
    // It ends its agents and its server by itself.
    atInterruption: 'SIGTERM',
  });
}

/** The embedded server that an interrupted trial leaves: nobody judges it any more. */
async function endOwnServer(home: string): Promise<void> {
  for (const file of globSync('projects/*/postgres/pg/postmaster.pid', { cwd: home })) {
    const pid = Number(readFileSync(path.join(home, file), 'utf8').split('\n')[0]);
    if (processStartTime(pid) !== undefined) process.kill(pid, 'SIGQUIT');
    await until(() => processStartTime(pid) === undefined, { what: 'the server of the trial has ended' });
  }
}
