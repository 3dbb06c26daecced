import { hostname } from 'node:os';
import path from 'node:path';

import { BatonError, shellText } from '@baton/contracts';

import { noRepository, type Place } from './project.ts';
import { pickRun, type Stored } from './with-store.ts';

/**
 * The repository that a command works on. Outside of any, a store that others share still knows where that of the run is.
 *
 * @param named.words the command as it is to be typed there, without `baton`
 * @throws REPO_NOT_FOUND with the checkout of the run; NOT_FOUND, AMBIGUOUS when there is no such run or task either
 */
export async function placeOfRun<P extends Place>(
  stored: Stored<P>,
  { reference, words }: { reference: string | undefined; words: readonly string[] },
): Promise<P> {
  if (stored.project !== null) return stored.project;
  const { store } = stored;
  const run = await pickRun(stored, reference).catch(async (error: unknown) => {
    if (reference === undefined || !BatonError.is(error, 'NOT_FOUND')) throw error;
    const { runId } = await store.tasks.find(reference);
    return store.runs.find(runId);
  });
  const repo = await store.runs.repo(run.repoId);
  if (repo === null) throw noRepository();
  const isFolder = path.isAbsolute(repo.location);
  const isHere = isFolder && (repo.host === null || repo.host === hostname());
  const command = shellText(['baton', ...words, ...(reference === undefined ? [] : [reference])]);
  throw new BatonError(
    'REPO_NOT_FOUND',
    `There is no git repository here; ${run.slug} is of ${repo.location}${isFolder && !isHere ? ` on ${repo.host ?? ''}` : ''}.`,
    {
      fix: isHere
        ? `Name it: \`${command} ${shellText(['--repo', repo.location])}\`.`
        : `Go into a checkout of it, then type \`${command}\`.`,
    },
  );
}
