import { BatonError, isBranchName } from '@baton/contracts';
import { forgeOf, remoteOf, type Forge, type ForgeAnswer, type Remote, type UserPlace } from '@baton/janitor';
import type { LandingWork } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';

/** Where the pull request of a task is, or will be. */
export interface RequestPlace {
  user: UserPlace;
  remote: Remote;
  forge: Forge;
  /** Branch of the remote that it goes into. */
  into: string;
  /** Branch that it is of. */
  branch: string;
}

/** Finds the remote and the program of its host. @throws FORGE_UNAVAILABLE */
export async function requestPlace(
  ctx: Pick<WorkerContext, 'exec' | 'operatorEnv'>,
  { work, into }: { work: LandingWork; into: string },
): Promise<RequestPlace> {
  if (work.repo.host === null)
    throw unavailable('pull requests are made from a checkout of the repository, and this run has none');
  const user = { exec: ctx.exec, env: ctx.operatorEnv, root: work.repo.location };
  const remote = await atHost(remoteOf(user, into));
  return { user, remote, forge: forgeOf(user, remote.url), into, branch: requestBranch(work) };
}

/** `baton/<run>/<task>`, the same for all attempts at a task; the id in place of a key that no branch can have. */
export function requestBranch({ run, task }: Pick<LandingWork, 'run' | 'task'>): string {
  const named = `baton/${run.slug}/${task.key}`;
  return isBranchName(named) ? named : `baton/${run.slug}/${task.id}`;
}

/** What is said where a host cannot be asked, or says no: it is tried again, and nothing is decided. */
export function unavailable(
  text: string,
  { fix, isRateLimit = false }: { fix?: string | undefined; isRateLimit?: boolean } = {},
): BatonError {
  return new BatonError('FORGE_UNAVAILABLE', text, {
    ...(fix === undefined ? {} : { fix }),
    details: { isRateLimit },
  });
}

/** What an act at the remote comes to; its failure says nothing about the work. @throws FORGE_UNAVAILABLE */
export async function atHost<T>(act: Promise<T>): Promise<T> {
  try {
    return await act;
  } catch (cause) {
    if (!BatonError.is(cause)) throw cause;
    throw unavailable(cause.message, { fix: cause.fix });
  }
}

/** The answer of a host. @throws FORGE_UNAVAILABLE */
export async function answerOf<T>(asked: Promise<ForgeAnswer<T>>): Promise<T> {
  const answer = await asked;
  if (answer.ok) return answer.value;
  const [text = '', fix] = answer.text.split('\n');
  throw unavailable(text, { fix, isRateLimit: answer.why === 'rate_limit' });
}
