import { BatonError, repoConfig, slugStem, type Plan } from '@baton/contracts';

import type { Call } from '../terminal/call.ts';
import { loadConfig } from '../plan/load-config.ts';
import { loadPlan, type LoadedPlan } from '../plan/load-plan.ts';
import { mergePlan } from '../plan/merge-plan.ts';
import { openProject, type Project } from '../project/project.ts';
import type { AgentUse } from './check-agents.ts';
import { requestPlace } from './choose-request-target.ts';
import { chooseTarget } from './choose-target.ts';
import { refuseUnknownGates } from './create-run.ts';
import { lookAhead, refuseProblems } from './look-ahead.ts';

/** A plan file that nothing is known against. */
export interface CheckedFile {
  loaded: LoadedPlan;
  agents: AgentUse[];
  warnings: string[];
  /** What it was held against: the repository, or the file alone where there is none. */
  looked: 'repository' | 'file';
}

/**
 * Looks for everything that would end a run of a plan file, without starting anything.
 * @param options.fileOnly the file alone: neither a repository nor this machine
 * @throws FILE_MISSING, PLAN_INVALID, PLAN_EMPTY, PLAN_CYCLE, CONFIG_INVALID, REF_INVALID, NOT_FOUND (a remote for pull requests), and what agents lack
 */
export async function checkPlanFile(
  call: Call,
  file: string,
  { repo, fileOnly = false }: { repo?: string; fileOnly?: boolean },
): Promise<CheckedFile> {
  const source = { kind: 'plan' as const, by: call.env.user, trusted: true };
  const loaded = await loadPlan(file, { cwd: call.cwd, stdin: call.streams.stdin, source });
  if (fileOnly) return { loaded, agents: [], warnings: [], looked: 'file' };
  const project = await openProject(call, { repo }).catch((error: unknown) => {
    if (repo === undefined && BatonError.is(error)) return null;
    throw error;
  });
  const config = project === null ? repoConfig.parse({}) : await loadConfig(project.root);
  const plan = mergePlan(loaded.plan, config);
  refuseUnknownGates(plan);
  const ahead = await lookAhead(
    call,
    { plan, config, tasks: loaded.tasks, isGoal: false },
    { root: project?.root ?? null },
  );
  const target = project === null ? [] : await targetProblems(call, project, plan);
  refuseProblems([...ahead.problems, ...target]);
  return {
    loaded,
    agents: ahead.agents,
    warnings: ahead.warnings,
    looked: project === null ? 'file' : 'repository',
  };
}

/**
 * Changes in the checkout and what is under way there come and go; a branch that git does not take, or that is not there, stays wrong. Where the work becomes pull
 * requests, the branch is one of the remote, which is not asked.
 */
async function targetProblems(call: Call, project: Project, plan: Plan): Promise<BatonError[]> {
  const wish = { wanted: plan.target, slug: slugStem(plan.name) };
  const isRequested = plan.landing === 'pull_request';
  try {
    await (isRequested ? requestPlace(call, project, wish) : chooseTarget(project, wish));
    return [];
  } catch (error) {
    if (BatonError.is(error, 'REPO_DIRTY') || BatonError.is(error, 'TARGET_IN_USE')) return [];
    if (!BatonError.is(error, 'REF_INVALID') && !BatonError.is(error, 'NOT_FOUND')) throw error;
    const { code, message, fix } = error;
    const at = code === 'NOT_FOUND' ? 'landing' : 'target';
    return [new BatonError(code, message, { at, ...(fix === undefined ? {} : { fix }) })];
  }
}
