import { hostname } from 'node:os';
import type { Attempt, Claim, Store, Task } from '@baton/task-store';
import type { PlannedWork } from './history.ts';
import type { Place } from './place.ts';
import { git, makeCommits, readTree, type NewCommit } from './plain-git.ts';
import { baseTree, file, withFiles, type Tree } from './tree.ts';
import { applied } from './works.ts';

/** Whoever has this label does the work of a history; those who land have none. */
export const authorLabel = 'author';
const actor = 'author';

/** The head that work is made on. */
interface Start {
  commit: string;
  tree: Tree;
}

/** Work that is made next, and on what. */
export interface Due {
  work: PlannedWork;
  task: Task;
  on: 'base' | 'head';
}

/** Claims tasks, makes their commits, and reports them as done. */
export class Author {
  private readonly store: Store;
  private readonly place: Place;
  private readonly workerId: string;
  /** When each attempt was done, in ms. */
  readonly doneAt = new Map<string, number>();

  constructor(options: { store: Store; place: Place; workerId: string }) {
    this.store = options.store;
    this.place = options.place;
    this.workerId = options.workerId;
  }

  /** Does work that is due; what somebody else took in the meantime is left out. */
  async finish(due: readonly Due[]): Promise<void> {
    const held: { claim: Claim; each: Due }[] = [];
    for (const each of due) {
      const claim = await this.store.claims.claimTask(each.task.id, {
        ...{ workerId: this.workerId, leaseMs: 120_000 },
        capabilities: { host: hostname(), labels: [authorLabel] },
      });
      if (claim !== null) held.push({ claim, each });
    }
    if (held.length === 0) return;
    const isOnHead = ({ each: { on, work } }: (typeof held)[number]) =>
      on === 'head' || work.shape === 'merge';
    const head = held.some(isOnHead) ? await this.fetchHead() : null;
    const base: Start = { commit: this.place.base, tree: baseTree };
    const made = held.map(({ claim, each }) => {
      const attempt = attemptOf(claim);
      const ref = `refs/baton/attempts/${each.task.id}/${attempt.fence}`;
      const start = each.on === 'head' && head !== null ? head : base;
      return { claim, attempt, ref, start, commits: commitsOf(each.work, { start, head, ref }) };
    });
    const ids = await makeCommits(
      this.place.author,
      made.flatMap(({ commits }, at) => {
        const before = made.slice(0, at).reduce((sum, one) => sum + one.commits.length, 0);
        const shifted = (parent: string | number) => (typeof parent === 'number' ? parent + before : parent);
        return commits.map((commit) => ({ ...commit, parents: commit.parents.map(shifted) }));
      }),
    );
    if (this.place.isRemote)
      await git(this.place.author, [
        'push',
        '--quiet',
        this.place.repo,
        ...made.map(({ ref }) => `${ref}:${ref}`),
      ]);
    let at = 0;
    for (const { claim, attempt, ref, start, commits } of made) {
      at += commits.length;
      await this.report(claim, { attempt, ref, start: start.commit, head: ids[at - 1] ?? '' });
    }
  }

  private async fetchHead(): Promise<Start> {
    const { author, target, branch } = this.place;
    const seen = 'refs/heads/seen';
    await git(author, ['fetch', '--quiet', target, `+refs/heads/${branch}:${seen}`]);
    const commit = await git(author, ['rev-parse', seen]);
    return { commit, tree: await readTree(author, commit) };
  }

  private async report(
    claim: Claim,
    { attempt, ref, start, head }: { attempt: Attempt; ref: string; start: string; head: string },
  ): Promise<void> {
    const { claims, lanes } = this.store;
    const holding = { attemptId: attempt.id, fence: attempt.fence };
    const place = this.place.isRemote
      ? ({ at: 'repository', ref } as const)
      : ({ at: 'clone', host: hostname(), path: this.place.author, ref } as const);
    const begun = { baseCommit: start, startCommit: start };
    const outcomes = [
      await claims.recordAll(
        [
          { fact: 'launched', holdings: [holding], adapter: 'by-hand', workspace: this.place.author },
          { fact: 'ready', holding, ...begun },
        ],
        { actor },
      ),
    ];
    await lanes.placeHead(holding, place);
    this.doneAt.set(attempt.id, Date.now());
    const done = { fact: 'done', holding, ...begun, headCommit: head, summary: 'made' } as const;
    outcomes.push(await claims.record(done, { actor }));
    const over = { fact: 'batch_over', sessionId: claim.sessionId, exitCode: 0 } as const;
    outcomes.push(await claims.record(over, { actor }));
    for (const outcome of outcomes)
      if (!outcome.ok) throw new Error(`the author's report was refused: ${outcome.code} ${outcome.message}`);
  }
}

function attemptOf(claim: Claim): Attempt {
  const [first] = claim.tasks;
  if (first === undefined) throw new Error('a claim without a task');
  return first.attempt;
}

/** The commits of a piece of work; the last one is its head. */
function commitsOf(
  work: PlannedWork,
  { start, head, ref }: { start: Start; head: Start | null; ref: string },
): NewCommit[] {
  const commit = (parents: NewCommit['parents'], tree: Tree): NewCommit => ({
    ...{ ref, parents, tree },
    message: `${work.key}\n`,
  });
  const tree = applied(work, start.tree);
  if (work.shape === 'three') {
    const halfway = withFiles(tree, { broken: file('for now\n') });
    return [
      commit([start.commit], halfway),
      commit([0], withFiles(halfway, { 'tmp.txt': file('x\n') })),
      commit([1], tree),
    ];
  }
  if (work.shape === 'merge' && head !== null && head.commit !== start.commit)
    return [commit([start.commit], tree), commit([0, head.commit], applied(work, head.tree))];
  return [commit([start.commit], tree)];
}
