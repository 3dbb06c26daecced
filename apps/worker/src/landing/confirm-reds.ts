import { confirmationsOf } from '@baton/janitor';
import {
  BatonError,
  commandText,
  flakyAboveOf,
  type CheckResult,
  type Gate,
  type Verdict,
  isFlaky,
} from '@baton/contracts';
import type { GateRecord, LandingWork } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import { confirming, earlierChecks } from '../context/gate-memory.ts';
import type { RepoAccess } from '../context/repos.ts';
import { judgeTree, type Judged } from '../verify/judge-tree.ts';
import { withResults } from '../verify/with-reds.ts';
import { redGatesOf } from './red-on-target.ts';

/** How often work is judged as a whole when each red of it turns out not to be confirmed. */
const mostRounds = 3;

/** Work whose reds are confirmed before it is blamed. */
interface Confirmed {
  work: LandingWork;
  repo: RepoAccess;
  /** Null: the set-up cannot be named. */
  setUpKey: string | null;
  /** Gates that were red on it together with what has landed since, and green on that alone: their first red is a second one. */
  redTogether: readonly string[];
  /** Judges it as a whole. */
  judge: () => Promise<Judged>;
}

/**
 * Judges work, and where nothing but gates is red on it, asks these again about the same tree before their red counts. A gate that is
 * green then takes the blame away and passes nothing: the work is judged again as a whole, and only what that says lands it
 * (docs/spec/landing.md#confirmed-reds).
 * @throws INTERRUPTED, WORKSPACE_FAILED, GIT_FAILED
 */
export async function confirmReds(ctx: WorkerContext, confirmed: Confirmed): Promise<Judged> {
  let judged = await confirmed.judge();
  for (let round = 1; round < mostRounds; round++) {
    const names = redGatesOf(judged.verdict).map(({ name }) => name);
    const gates = confirmed.work.run.gates.filter(({ name }) => names.includes(name));
    if (gates.length === 0) return judged;
    const reds = await askAgain(ctx, confirmed, { judged, gates });
    if (reds.length > 0) return { ...judged, verdict: withNewest(judged.verdict, reds) };
    judged = await confirmed.judge();
  }
  return judged;
}

/** Asks each gate until it is green, at most as often as its past says. @returns what those said last that were never green */
async function askAgain(
  ctx: WorkerContext,
  { work, repo, setUpKey, redTogether }: Confirmed,
  { judged: { candidate, verdict }, gates }: { judged: Judged; gates: readonly Gate[] },
): Promise<CheckResult[]> {
  const records = await ctx.store.trust.gates({ repoId: work.repo.id });
  const above = flakyAboveOf(work.run.plan);
  const { workspace } = work.run;
  const earlier = confirming(earlierChecks(ctx.gateMemory, { repoId: work.repo.id, workspace, setUpKey }));
  const reds: CheckResult[] = [];
  for (const gate of gates) {
    const record = recordOf(records, gate);
    let said = verdict.results.find(({ kind, name }) => kind === 'gate' && name === gate.name);
    const known = redTogether.includes(gate.name) ? 1 : 0;
    for (let left = confirmationsOf(record, { above }) - known; left > 0 && said?.passed === false; left--) {
      const questions = { gates: [gate], signals: [], allowRed: [], isChange: false };
      const look = await orNothing(() => judgeTree(ctx, { repo, start: candidate, questions, earlier }));
      said = look?.verdict.results.find(({ kind }) => kind === 'gate') ?? said;
    }
    if (said?.passed === false) reds.push(said);
    if (record !== null && isFlaky(record, { above }))
      ctx.log.warn('a gate is flaky', {
        gate: gate.name,
        task: work.task.key,
        flaked: record.flaked,
        of: record.judged,
      });
  }
  return reds;
}

function recordOf(records: readonly GateRecord[], { name, command }: Gate): GateRecord | null {
  return (
    records.find((each) => each.name === name && commandText(each.command) === commandText(command)) ?? null
  );
}

/** What keeps a tree from being judged confirms nothing and takes nothing back: the red counts. */
async function orNothing(look: () => Promise<Judged>): Promise<Judged | null> {
  try {
    return await look();
  } catch (error) {
    if (BatonError.is(error, 'SETUP_FAILED') || BatonError.is(error, 'TREE_DISTURBED')) return null;
    throw error;
  }
}

/** The verdict with what gates said last. */
function withNewest(verdict: Verdict, reds: readonly CheckResult[]): Verdict {
  return withResults(verdict, (result) => {
    const red = reds.find(({ name }) => name === result.name);
    return red === undefined ? result : { ...red, required: result.required };
  });
}
