import { BatonError, repoConfig, slugStem } from '@baton/contracts';

import type { Call } from '../terminal/call.ts';
import { loadConfig } from '../plan/load-config.ts';
import { loadPlan, type LoadedPlan } from '../plan/load-plan.ts';
import { mergePlan } from '../plan/merge-plan.ts';
import { openProject, type Project } from '../project/project.ts';
import type { AgentUse } from './check-agents.ts';
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
 * @throws FILE_MISSING, PLAN_INVALID, PLAN_EMPTY, PLAN_CYCLE, CONFIG_INVALID, REF_INVALID, and what agents lack
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
  const target = project === null ? [] : await targetProblems(project, plan);
  refuseProblems([...ahead.problems, ...target]);
  return {
    loaded,
    agents: ahead.agents,
    warnings: ahead.warnings,
    looked: project === null ? 'file' : 'repository',
  };
}

/** Changes in the checkout come and go; a branch that git does not take, or that is not there, stays wrong. */
async function targetProblems(
  project: Project,
  { target, name }: { target?: string | undefined; name: string },
): Promise<BatonError[]> {
  try {
    await chooseTarget(project, { wanted: target, slug: slugStem(name) });
    return [];
  } catch (error) {
    if (!BatonError.is(error, 'REF_INVALID')) {
      if (BatonError.is(error, 'REPO_DIRTY')) return [];
      throw error;
    }
    const { message, fix } = error;
    return [new BatonError('REF_INVALID', message, { at: 'target', ...(fix === undefined ? {} : { fix }) })];
  }
}
