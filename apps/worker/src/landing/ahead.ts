import { verifiesAhead } from '@baton/contracts';
import type { LandingWork } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import type { RepoAccess } from '../context/repos.ts';
import { candidateOn } from './candidate-of.ts';
import { judgeTrain, mayJoin, stackTrain, type JudgedTrain, type Members } from './train.ts';
import { judgeWork, nameOf } from './verify-candidate.ts';

/** Verification of what lands next, while what lands before it is verified: of use only where that is green. */
export interface Ahead {
  works: readonly LandingWork[];
  /** What came of it, once it has ended; null: nothing to use. */
  ended: Promise<JudgedAhead | null>;
  /** Ends it; the promise is kept when nothing of it runs any more. */
  stop(): Promise<void>;
}

/** A train that was judged before its turn. */
interface JudgedAhead {
  /** Commit that it was made on. */
  base: string;
  members: Members;
  judged: JudgedTrain;
}

/** Whether these works may be verified beside others: their run allows it, and their candidates are what lands. Pure. */
export function mayGoAhead(works: readonly LandingWork[]): boolean {
  return works.length > 0 && works.every((work) => verifiesAhead(work.run.plan) && mayJoin(work));
}

/**
 * Starts to verify work on a commit that is not on the target yet. Greens of single tasks are kept by
 * the memory of gates, what came of a train by {@link Ahead.ended}. A failure decides nothing: all is verified in its turn.
 */
export function startAhead(
  ctx: WorkerContext,
  { works, base }: { works: readonly LandingWork[]; base: string },
): Ahead | null {
  const [first] = works;
  if (first === undefined) return null;
  const stopper = new AbortController();
  const own = { ...ctx, stopping: AbortSignal.any([ctx.stopping, stopper.signal]) };
  const ended = verifyAhead(own, { works, first, base }).catch(() => null);
  return {
    works,
    ended,
    async stop() {
      stopper.abort();
      await ended;
    },
  };
}

async function verifyAhead(
  ctx: WorkerContext,
  { works, first, base }: { works: readonly LandingWork[]; first: LandingWork; base: string },
): Promise<JudgedAhead | null> {
  const repo = await ctx.repos.open(first.run, first.repo);
  if (works.length === 1) {
    await verifySingle(ctx, { work: first, repo, base });
    return null;
  }
  const { members } = await stackTrain(ctx, { works, repo, head: base });
  if (members === null) return null;
  return { base, members, judged: await judgeTrain(ctx, { members, repo, head: base }) };
}

async function verifySingle(
  ctx: WorkerContext,
  { work, repo, base }: { work: LandingWork; repo: RepoAccess; base: string },
): Promise<void> {
  const made = await candidateOn(ctx, { work, repo, onto: base });
  if (made.kind === 'conflict') return;
  const { candidate } = made;
  const asked = { gates: work.run.gates, signals: [] };
  const named = await nameOf(repo, { ...asked, candidate });
  await judgeWork(ctx, { work, repo, candidate, asked, named: named ?? undefined });
}

/**
 * What was said ahead of its turn of exactly this train: the same works, the same tree, and a base with the tree of the head.
 */
export async function saidAhead(
  ctx: WorkerContext,
  { ahead, members, repo, head }: { ahead: Ahead | null; members: Members; repo: RepoAccess; head: string },
): Promise<JudgedTrain | null> {
  const known = (await ahead?.ended) ?? null;
  if (known === null || !isSame(known.members, members)) return null;
  const trees = ['rev-parse', `${known.base}^{tree}`, `${head}^{tree}`];
  const { exitCode, stdout } = await ctx.git(trees, { cwd: repo.clone.path });
  const [was, is] = stdout.trim().split('\n');
  return exitCode === 0 && was === is ? known.judged : null;
}

function isSame(known: Members, members: Members): boolean {
  return (
    known.length === members.length &&
    known.every(({ work, candidate }, at) => {
      const other = members[at];
      return work.attempt.id === other?.work.attempt.id && candidate.tree === other.candidate.tree;
    })
  );
}
