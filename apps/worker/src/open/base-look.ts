import { stripVTControlCharacters } from 'node:util';
import {
  adviseSetup,
  ignoredPaths,
  readRepository,
  setupLine,
  untrackedPaths,
  type SetupAdvice,
} from '@baton/janitor';
import {
  BatonError,
  type CheckResult,
  type Gate,
  type Git,
  type Verdict,
  type WorkspaceSetup,
} from '@baton/contracts';
import { agentEnvironment, type SetUpName } from '@baton/spawner';
import type { WorkerContext } from '../context/context.ts';
import { judgeTree, type JudgeContext } from '../verify/judge-tree.ts';
import type { RepoAccess } from '../context/repos.ts';

const shownLines = 20;
const mostColumns = 300;
const mostGates = 3;
/** How git says that it has no tag, branch or remote of that name. */
const lacksRefs =
  /^(fatal|error): (no names found|no tags can describe|no tag exactly matches|no such remote|no upstream configured|not a valid object name|ambiguous argument '[^']*': unknown revision)/im;
const refsText =
  'The repository that gates see holds the history of the base, and no tags, other branches or remotes of yours.';
const withoutRefs =
  'let the gate do without them: give a version by a variable, or compare with a commit such as HEAD~1';
const plainRemedy = 'make it pass, and commit that';

/** What gates say to a base, and what set-up left beside its tracked files. */
export interface BaseLook {
  verdict: Verdict;
  setUp: readonly string[];
  /** Name of the set-up; null: it has none. */
  setUpKey: string | null;
}

/**
 * Asks gates about a commit by itself, each in a place with its set-up.
 *
 * @throws INTERRUPTED, TREE_DISTURBED, SETUP_FAILED, WORKSPACE_FAILED, GIT_FAILED
 */
export async function judgeBase(
  ctx: JudgeContext,
  {
    repo,
    base,
    gates,
    named,
  }: { repo: RepoAccess; base: string; gates: readonly Gate[]; named?: SetUpName | undefined },
): Promise<BaseLook> {
  const tree = await ctx.git(['rev-parse', `${base}^{tree}`], { cwd: repo.clone.path });
  const {
    verdict,
    setUp = [],
    setUpKey = '',
  } = await judgeTree(ctx, {
    repo,
    start: { commit: base, tree: tree.stdout.trim(), changes: [], onto: base },
    questions: { gates, signals: [], allowRed: [], isChange: false },
    named,
  });
  return { verdict, setUp, setUpKey };
}

/** Compares the worktree that gates were red in with the checkout; null: nothing is known to be missing. */
export async function adviceFor(
  { git, exec, operatorEnv }: Pick<WorkerContext, 'operatorEnv' | 'exec'> & { git: Git },
  {
    root,
    workspace,
    verdict,
    setUp,
  }: Omit<BaseLook, 'setUpKey'> & { root: string | null; workspace: WorkspaceSetup | null },
): Promise<SetupAdvice | null> {
  if (root === null) return null;
  try {
    const gates = { exec, env: agentEnvironment({ base: operatorEnv }) };
    const [facts, ignored, untracked] = await Promise.all([
      readRepository({ git, root, path: operatorEnv['PATH'] ?? '', gates }),
      ignoredPaths({ git, root }),
      untrackedPaths({ git, root }),
    ]);
    const outputs = redOf(verdict).map(({ reason, output = '' }) => `${reason}\n${output}`);
    return adviseSetup({ facts, ignored, untracked, configured: workspace, made: setUp, outputs });
  } catch (error) {
    // Advice that cannot be had must not hide what it is about.
    if (BatonError.is(error)) return null;
    throw error;
  }
}

/**
 * Why a run cannot begin or continue: a sentence with the gates, the end of what each printed, what the worktree lacks, and in the last line
 * what to do.
 */
export function baseRedText({
  base,
  verdict,
  advice,
  workspace,
  when = 'before any work',
  branch = null,
}: {
  base: string;
  verdict: Verdict;
  advice: SetupAdvice | null;
  /** The set-up as it is. */
  workspace: WorkspaceSetup | null;
  /** Which commit that is. */
  when?: string;
  /** The branch that is looked at again, where it is not the one that the repository has checked out. */
  branch?: string | null;
}): string {
  const red = redOf(verdict);
  const sentences = red.map(({ kind, name, reason }) => `${kind} ${name}: ${reason}.`).join(' ');
  const asksRefs = red.some(({ output = '' }) => lacksRefs.test(output));
  const remedy =
    (advice === null ? null : remedyOf(advice, workspace)) ?? (asksRefs ? withoutRefs : plainRemedy);
  return [
    `A required gate is red on ${base.slice(0, 9)}, ${when}. ${sentences}`,
    ...red.slice(0, mostGates).flatMap(endOf),
    ...(advice === null ? [] : lackText(advice)),
    ...(asksRefs ? [refsText] : []),
    ...(branch === null ? [] : [`The next look is at the head of ${branch}: commit or merge the fix there.`]),
    `${capital(remedy)}.`,
  ].join('\n');
}

/** What a worktree lacks, in sentences. */
export function lackText({ missing, uncommitted }: SetupAdvice): string[] {
  return [
    ...(missing.length === 0
      ? []
      : [`Your checkout has ${missing.join(', ')}, which git ignores; the worktree has none.`]),
    ...(uncommitted.length === 0
      ? []
      : [`Your checkout has ${uncommitted.join(', ')}, which is not committed.`]),
  ];
}

/** What to do about it, as the beginning of a sentence; null: nothing is known to help. */
export function remedyOf(
  { workspace, uncommitted, hints }: SetupAdvice,
  configured: WorkspaceSetup | null,
): string | null {
  const where = configured === null ? 'in baton.yaml' : 'in place of the workspace of baton.yaml or the plan';
  const ways = [
    ...(uncommitted.length === 0 ? [] : [`commit ${uncommitted.join(', ')}`]),
    ...(workspace === null ? [] : [`write \`${setupLine(workspace)}\` ${where}`]),
    ...hints,
  ];
  return ways.length === 0 ? null : ways.join(', ');
}

/** The end of what a gate printed, each line indented. */
export function endOf({ name, output = '' }: CheckResult): string[] {
  const plain = stripVTControlCharacters(output).trimEnd();
  const lines = plain.split('\n').slice(-shownLines);
  if (plain.trim() === '') return [];
  const shown = lines.map((line) => (line.length > mostColumns ? `${line.slice(0, mostColumns)}…` : line));
  return [`Last lines of ${name}:`, ...shown.map((line) => `  ${line}`)];
}

function redOf(verdict: Verdict): CheckResult[] {
  return verdict.results.filter(({ required, passed }) => required && !passed);
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
