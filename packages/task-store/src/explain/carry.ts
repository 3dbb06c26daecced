import { shellWord } from '@baton/contracts';
import type { Repo, Run } from '../model/run.ts';

/** Where somebody asks for the command that carries a run on, and what is known there. */
export interface CarryPlace {
  /** The run's repository; absent: the one that the asker is in. */
  repo?: Pick<Repo, 'location' | 'host'> | undefined;
  /** The asker's host: a command for another one names that. */
  host?: string | undefined;
  /** The repository that the asker's commands work in by themselves, null: none; absent: that of the run. */
  here?: string | null | undefined;
  /** The store belongs to that repository: no command in another one reaches it. */
  ownStore?: boolean | undefined;
  /** A worker of `baton up` that may work on the run is there. */
  isUp?: boolean | undefined;
}

/**
 * The command that makes a run continue, as it is to be typed where it is asked for; the source of each hint that names one. `baton
 * run` carries a run on in its repository alone, and one that ends by itself; `baton up` the standing run of a trigger rule, one
 * whose repository is a URL, and one of another repository in the store of this one.
 */
export function carryCommand(
  run: Pick<Run, 'slug' | 'standing'> & { status: string },
  place: CarryPlace = {},
): string {
  const { repo, host, here, ownStore = false, isUp = false } = place;
  const isForeign = repo !== undefined && here !== undefined && repo.location !== here;
  const resume = ['paused', 'failed'].includes(run.status) ? [`baton resume ${run.slug}`] : [];
  if (isUp && resume.length > 0) return resume.join('');
  if (run.standing || repo?.host === null || (isForeign && ownStore))
    return [...resume, 'baton up'].join(' && ');
  const there = isForeign ? ` --repo ${shellWord(repo.location)}` : '';
  const isElsewhere = repo !== undefined && host !== undefined && repo.host !== host;
  return `baton run --resume ${run.slug}${there}${isElsewhere ? ` # on host ${repo.host}` : ''}`;
}
