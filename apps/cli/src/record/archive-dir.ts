import { access } from 'node:fs/promises';
import path from 'node:path';

import { BatonError } from '@baton/contracts';

import type { Call } from '../terminal/call.ts';
import type { Place } from '../project/project.ts';

/** Folder of a project's archived events: the one that was named, else `archive` in its state folder. @throws INVALID_INPUT */
export function archiveDir(
  call: Pick<Call, 'cwd'>,
  { given, project }: { given: string | undefined; project: Pick<Place, 'state'> | null },
): string {
  if (given !== undefined) return path.resolve(call.cwd, given);
  if (project) return path.join(project.state.dir, 'archive');
  throw new BatonError('INVALID_INPUT', 'There is no repository here whose archive could be meant.', {
    fix: 'Name the folder with --archive DIR.',
  });
}

/** The same, if it is there: who only checks needs none. */
export async function archiveDirIfAny(
  call: Pick<Call, 'cwd'>,
  options: { given: string | undefined; project: Pick<Place, 'state'> | null },
): Promise<string | undefined> {
  if (options.given === undefined && !options.project) return undefined;
  const dir = archiveDir(call, options);
  if (options.given !== undefined) return dir;
  return access(dir).then(
    () => dir,
    () => undefined,
  );
}
