import { auditDependencies, reportAudit, type Dependency } from '@baton/janitor';
import { BatonError, dependencyRulesOf, type CheckResult } from '@baton/contracts';
import type { LandingWork } from '@baton/task-store';
import { agentEnvironment } from '@baton/spawner';
import type { WorkerContext } from '../context/context.ts';
import type { RepoAccess } from '../context/repos.ts';
import type { CandidateTree } from '../verify/judge-tree.ts';

/** Name of the check of what a change adds to manifests and lock files. */
export const dependencyCheckName = 'dependencies';

const lookMs = 60_000;
/** An argument list has an end. */
const mostLooked = 500;

/**
 * Prints the licences of installed packages as JSON, by `name@version`. It reads what set-up put there, at the top and where pnpm puts
 * what others need, and starts nothing of it.
 */
const readLicences = `const fs = require('node:fs');
const wanted = JSON.parse(process.argv[1]);
const found = {};
const look = (dir, name, version) => {
  try {
    const said = JSON.parse(fs.readFileSync(dir + '/' + name + '/package.json', 'utf8'));
    if (said.version !== version) return false;
    const one = (value) => (typeof value === 'string' ? value : value && typeof value.type === 'string' ? value.type : null);
    const many = Array.isArray(said.licenses) ? said.licenses.map(one) : [one(said.license ?? said.licenses)];
    if (many.length > 0 && !many.includes(null)) found[name + '@' + version] = many.length === 1 ? many[0] : many.map((each) => '(' + each + ')').join(' OR ');
    return true;
  } catch { return false; }
};
for (const [name, version] of wanted)
  look('node_modules', name, version) ||
    look('node_modules/.pnpm/' + name.replaceAll('/', '+') + '@' + version + '/node_modules', name, version);
process.stdout.write(JSON.stringify(found));`;

/**
 * What a change adds to manifests and lock files, judged by the rules that its run carries. A result that is required refuses the work;
 * one that is not leaves it to a person. Null: the run carries no such rules, or the change touches no such file.
 * @throws INTERRUPTED, GIT_FAILED, WORKSPACE_FAILED
 */
export async function dependencyCheck(
  ctx: WorkerContext,
  { work, repo, candidate }: { work: Pick<LandingWork, 'run'>; repo: RepoAccess; candidate: CandidateTree },
): Promise<CheckResult | null> {
  const rules = dependencyRulesOf(work.run.routing);
  if (rules === null) return null;
  const started = ctx.clock.monotonicMs();
  const audit = await auditDependencies({
    git: ctx.git,
    clone: repo.clone.path,
    from: candidate.onto,
    to: candidate.commit,
    changes: candidate.changes,
    rules,
    licencesOf: (packages) => installedLicences(ctx, { repo, candidate, packages }),
  });
  if (audit === null) return null;
  const { decision, reason, list } = reportAudit(audit, rules);
  return {
    name: dependencyCheckName,
    kind: 'builtin',
    required: decision === 'refuse',
    passed: decision === 'allow',
    reason,
    ...(list === '' ? {} : { output: list }),
    durationMs: ctx.clock.monotonicMs() - started,
    cached: false,
  };
}

/** Licences as the set-up of the candidate has them installed; none where it cannot be laid: then they are not known. */
async function installedLicences(
  ctx: WorkerContext,
  {
    repo,
    candidate,
    packages,
  }: { repo: RepoAccess; candidate: CandidateTree; packages: readonly Dependency[] },
): Promise<ReadonlyMap<string, string>> {
  const wanted = packages
    .filter(({ ecosystem, version }) => ecosystem === 'npm' && version !== '')
    .slice(0, mostLooked)
    .map(({ name, version }) => [name, version] as const)
    .filter(([name]) => !name.split('/').includes('..'));
  if (wanted.length === 0) return new Map();
  try {
    return await repo.verifyPool.use({ head: candidate.commit, onto: candidate.onto }, async (place) => {
      const ran = await place.run([process.execPath, '-e', readLicences, JSON.stringify(wanted)], {
        env: agentEnvironment({ base: ctx.operatorEnv, home: null }),
        timeoutMs: lookMs,
        signal: ctx.stopping,
      });
      return ran.exitCode === 0 && !ran.truncated ? licencesIn(ran.stdout) : new Map();
    });
  } catch (error) {
    if (BatonError.is(error, 'SETUP_FAILED') || BatonError.is(error, 'TREE_DISTURBED')) return new Map();
    throw error;
  }
}

function licencesIn(text: string): ReadonlyMap<string, string> {
  const said = JSON.parse(text) as Record<string, string>;
  return new Map(Object.entries(said));
}
