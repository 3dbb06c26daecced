import {
  needsWorktree,
  rewriteCandidate,
  verifyTree,
  type ChangedPath,
  type KeptCommits,
  type VerifyOptions,
} from '@baton/janitor';
import type { CheckPlace, CheckResult, CompletionSignal, Gate, Verdict } from '@baton/contracts';
import { agentEnvironment, type SetUpName } from '@baton/spawner';
import type { WorkerContext } from '../context/context.ts';
import type { RepoAccess } from '../context/repos.ts';
import type { EarlierChecks } from '../context/gate-memory.ts';
import { shortList } from './short-list.ts';
import { withReds } from './with-reds.ts';

/** The tree that would land, and what it is made from. */
export interface CandidateTree {
  commit: string;
  tree: string;
  changes: ChangedPath[];
  /** Head of the target it was merged onto. */
  onto: string;
  /** What of the task's own commits lands with it; null or absent: nothing. */
  kept?: KeptCommits | null;
  /** Why it lands as one commit although its run keeps those of agents; null or absent: there is no such reason. */
  asOne?: string | null;
}

/** What is asked of a tree. */
export interface Questions {
  gates: readonly Gate[];
  signals: readonly CompletionSignal[];
  allowRed: readonly string[];
  /** What the task owns, if its own change is judged. */
  owned?: NonNullable<VerifyOptions['owned']>;
  /** False: a base by itself, so no change is judged. */
  isChange: boolean;
}

/** What was judged in the end, with its verdict. */
export interface Judged {
  candidate: CandidateTree;
  verdict: Verdict;
  /** Paths that set-up left beside the tracked ones; absent: nothing was laid. */
  setUp?: readonly string[];
  /** Name of the set-up; null: the verdict must not be used again, since set-up or tracked files changed while it was made. */
  setUpKey?: string | null;
}

/** What judging works with. */
export type JudgeContext = Pick<
  WorkerContext,
  'exec' | 'git' | 'clock' | 'log' | 'operatorEnv' | 'stopping'
> & {
  /** Told of each result as it comes. */
  onCheck?: (result: CheckResult) => void;
};

/** Name of the recorded note on what gates added to the work. */
const writtenCheckName = 'written';

/**
 * Judges a tree in a place that nothing else ever wrote into. What a gate that `may_write` changes becomes part of the work, and the
 * result is judged again by all; each such gate may do so once, so this ends.
 *
 * @throws INTERRUPTED, TREE_DISTURBED, SETUP_FAILED, WORKSPACE_FAILED, GIT_FAILED
 */
export async function judgeTree(
  ctx: JudgeContext,
  {
    repo,
    start,
    questions,
    named,
    earlier = null,
  }: {
    repo: RepoAccess;
    start: CandidateTree;
    questions: Questions;
    /** Name of the start's set-up, if it was asked for a moment ago. */
    named?: SetUpName | undefined;
    /** Commands that passed on the start's set-up before; null or absent: each is run. */
    earlier?: EarlierChecks | null;
  },
): Promise<Judged> {
  let candidate = start;
  let writers = questions.gates.filter((gate) => gate.may_write === true).map(({ name }) => name);
  const notes: CheckResult[] = [];
  for (;;) {
    const own = candidate === start ? named : undefined;
    const judged = await judgeOnce(ctx, {
      ...{ repo, candidate, questions, writers, named: own },
      earlier: candidate === start ? earlier : null,
    });
    const { verdict, written, setUp, setUpKey } = judged;
    if (written === null) {
      const said = [
        ...(setUpKey === null ? [changingNote] : []),
        ...(judged.rewritten.length > 0 ? [rewrittenNote(judged.rewritten)] : []),
      ];
      const results = [...verdict.results, ...notes, ...said];
      return {
        candidate,
        verdict: { ...verdict, results },
        setUp,
        setUpKey: said.length > 0 ? null : setUpKey,
      };
    }
    const made = await rewriteCandidate({
      git: ctx.git,
      clone: repo.clone.path,
      commit: candidate.commit,
      tree: written.tree,
      onto: start.onto,
    });
    const reason = verdict.results.at(-1)?.reason ?? '';
    notes.push(writtenNote(`gate ${written.gate}: ${reason}; judged with that`));
    writers = writers.filter((name) => name !== written.gate);
    candidate = { ...candidate, ...made };
  }
}

type Written = { gate: string; tree: string };

interface JudgedOnce {
  verdict: Verdict;
  written: Written | null;
  setUp: readonly string[];
  setUpKey: string | null;
  /** Tracked files that were written and put back in each run of a command. */
  rewritten: readonly string[];
}

interface JudgeOrder {
  repo: RepoAccess;
  candidate: CandidateTree;
  questions: Questions;
  writers: readonly string[];
  named: SetUpName | undefined;
  earlier: EarlierChecks | null;
}

async function judgeOnce(
  ctx: JudgeContext,
  { repo, candidate, questions, writers, named, earlier }: JudgeOrder,
): Promise<JudgedOnce> {
  const { isChange, ...checks } = questions;
  const paths = candidate.changes.map((change) => change.path);
  const asked = { ...checks, changedPaths: isChange ? paths : null };
  const noted = new Map<string, CheckResult>();
  const judge = async (place: CheckPlace | null): Promise<JudgedOnce> => {
    const writes: Written[] = [];
    noted.clear(); // it is asked again where somebody wrote into the place
    const verdict = await verifyTree({
      ...asked,
      exec: ctx.exec,
      git: ctx.git,
      clock: ctx.clock,
      place,
      repo: repo.clone.path,
      tree: candidate.tree,
      baseCommit: candidate.onto,
      candidateCommit: candidate.commit,
      changes: candidate.changes,
      attributesFile: repo.clone.attributesFile,
      ...(earlier === null
        ? {}
        : {
            versions: earlier.versions,
            cache: (key: string) => Promise.resolve(earlier.memory.find(key)),
          }),
      onCheck: (result, key) => {
        if (key !== null) noted.set(key, result);
        ctx.onCheck?.(result);
      },
      writers,
      onWrite: (write) => void writes.push(write),
      env: agentEnvironment({ base: ctx.operatorEnv, home: null }),
      signal: ctx.stopping,
    }).finally(() => putBack(ctx, repo));
    const { setUp = [], setUpKey = '', rewritten = [] } = place ?? {};
    return { verdict, written: writes[0] ?? null, setUp, setUpKey, rewritten: [...rewritten] };
  };
  if (!needsWorktree(asked)) return judge(null);
  const judged = await repo.verifyPool.use({ head: candidate.commit, onto: candidate.onto, named }, judge);
  if (earlier === null || earlier.setUpKey !== judged.setUpKey || judged.rewritten.length > 0) return judged;
  const keys = new Map([...noted].map(([key, result]) => [result, key]));
  const verdict = withReds(judged.verdict, earlier.memory, (result) => keys.get(result) ?? null);
  earlier.memory.keep(noted);
  return { ...judged, verdict };
}

/** Checks run what agents wrote; whatever that planted in our clone must not run with the git that tidies up. */
async function putBack(ctx: JudgeContext, repo: RepoAccess): Promise<void> {
  const planted = await repo.clone.restore();
  if (planted.length > 0)
    ctx.log.warn('a check, or an agent beside it, changed our clone; it was put back', { planted });
}

function writtenNote(reason: string): CheckResult {
  return note(writtenCheckName, { passed: true, reason });
}

const changingNote = note('set-up', {
  passed: false,
  reason:
    'the files that set-up copies changed each time while they were copied, so this holds for the last copy alone and is not used again',
});

function rewrittenNote(files: readonly string[]): CheckResult {
  return note('rewritten', {
    passed: false,
    reason: `a command or another process wrote tracked files and put them back in each of three runs (${shortList(files)}), so the last run counts alone and this verdict is not used again`,
  });
}

function note(name: string, { passed, reason }: { passed: boolean; reason: string }): CheckResult {
  return { name, kind: 'builtin', required: false, passed, reason, durationMs: 0, cached: false };
}
