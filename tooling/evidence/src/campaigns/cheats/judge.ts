import { buildCandidate, verifyTree } from '@baton/janitor';
import type { Clock, Exec, Gate, Git } from '@baton/contracts';
import { createExec, createGit } from '@baton/spawner';
import { tempDir } from '@baton/testkit';
import { approvalReason } from '../../../../../apps/worker/src/landing/approval-reason.ts';
import { tamperChecks } from '../../../../../apps/worker/src/landing/tamper-checks.ts';
import type { CheatCase, Tree } from './format.ts';

/** What becomes of a patch, and why it does not land. */
export interface Decision {
  outcome: 'lands' | 'held' | 'refused';
  reason: string;
}

/** A repository with all cases in it, and what judges their patches. */
export interface Bench extends AsyncDisposable {
  judge(one: CheatCase, which: 'cheat' | 'honest'): Promise<Decision>;
}

interface Tools {
  exec: Exec;
  git: Git;
  clock: Clock;
  repo: string;
  env: Record<string, string>;
}

/** Puts the trees of all cases into one repository. */
export async function openBench(cases: readonly CheatCase[]): Promise<Bench> {
  const folder = await tempDir();
  const clock: Clock = { now: () => new Date(), monotonicMs: () => performance.now() };
  const exec = createExec({ clock });
  const env = { PATH: process.env['PATH'] ?? '' };
  const git = createGit({ exec, env });
  const tools: Tools = { exec, git, clock, env, repo: folder.path };
  await must(git, ['init', '--quiet', '--bare'], { cwd: folder.path });
  await must(git, ['fast-import', '--quiet'], { cwd: folder.path, stdin: streamOf(cases) });
  const ids = new Map(
    (await must(git, ['for-each-ref', '--format=%(refname) %(objectname)'], { cwd: folder.path }))
      .split('\n')
      .map((line) => line.split(' ') as [string, string]),
  );
  return {
    judge: (one, which) => {
      const id = (name: string) => ids.get(`refs/cases/${cases.indexOf(one)}/${name}`) ?? '';
      return judge(tools, { one, base: id('base'), head: id(which), which });
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** The worker's own way from a finished commit to its landing; the gates themselves are taken to be green, as a cheat wants them. */
async function judge(
  { exec, git, clock, repo, env }: Tools,
  { one, base, head, which }: { one: CheatCase; base: string; head: string; which: 'cheat' | 'honest' },
): Promise<Decision> {
  const candidate = await buildCandidate({
    git,
    clone: repo,
    targetHead: base,
    startCommit: base,
    headCommit: head,
    message: which,
    trailers: {},
    author: { name: 'Test Person', email: 'test@example.invalid' },
    at: clock.now(),
  });
  if (candidate.kind !== 'clean') return { outcome: 'refused', reason: `${candidate.kind} candidate` };
  const files = which === 'honest' ? one.declares : [];
  const verdict = await verifyTree({
    exec,
    git,
    clock,
    env,
    repo,
    tree: candidate.tree,
    baseCommit: base,
    candidateCommit: candidate.commit,
    changedPaths: candidate.changedPaths,
    changes: candidate.changes,
    gates: [],
    signals: [],
    owned: { files, strict: false },
    allowRed: [],
  });
  if (!verdict.passed) return { outcome: 'refused', reason: verdict.reasons.join('; ') };
  const gates: Gate[] = [{ name: 'tests', command: one.gate, required: true, timeout: 60_000 }];
  const run = { gates, trust: 'observe', plan: null } as const;
  const task = { files, role: 'backend', approval: false };
  const results = await tamperChecks(
    { git, clock },
    { work: { run, task }, clone: repo, candidate: { ...candidate, onto: base }, passed: true },
  );
  const reason = approvalReason(
    { run, task, approved: false, approvedPatchId: null },
    { verdict: { results }, trust: { enforced: false, allowed: true, text: '' }, patchId: '' },
  );
  return reason === null ? { outcome: 'lands', reason: '' } : { outcome: 'held', reason };
}

/** All trees as git's own import reads them. */
function streamOf(cases: readonly CheatCase[]): string {
  const commits = cases.flatMap((one, at) => [
    commitOf(`refs/cases/${at}/base`, one.base),
    commitOf(`refs/cases/${at}/cheat`, one.cheated, `refs/cases/${at}/base`),
    commitOf(`refs/cases/${at}/honest`, one.twin, `refs/cases/${at}/base`),
  ]);
  return `${commits.join('')}done\n`;
}

function commitOf(ref: string, tree: Tree, from?: string): string {
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const files = Object.entries(tree).map(([path, content]) =>
    typeof content === 'string'
      ? `M 100644 inline ${path}\n${data(content)}`
      : `M 120000 inline ${path}\n${data(content.link)}`,
  );
  const who = 'committer Test Person <test@example.invalid> 1700000000 +0000\n';
  return `commit ${ref}\n${who}${data(ref)}${from === undefined ? '' : `from ${from}\n`}deleteall\n${files.join('')}\n`;
}

async function must(git: Git, args: readonly string[], options: Parameters<Git>[1]): Promise<string> {
  const { exitCode, stdout, stderr } = await git(args, options);
  if (exitCode !== 0) throw new Error(`git ${args.join(' ')} failed: ${stderr.trim()}`);
  return stdout.trim();
}
