import { constants, existsSync } from 'node:fs';
import { access, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { BatonError, shellWord } from '@baton/contracts';

import { draftName } from './planning.ts';

/** Where a plan goes that an agent writes: null is standard output. */
export interface PlanPlace {
  file: string | null;
  /** As the user would name it. */
  shown: string;
}

/**
 * Chooses the file of a plan before it is paid for. One that is there is never overwritten: `baton init` leaves an example as
 * plan.yaml.
 *
 * @throws INVALID_INPUT, FILE_MISSING
 */
export async function choosePlanPlace(
  cwd: string,
  { wanted, name }: { wanted: string | undefined; name: string },
): Promise<PlanPlace> {
  if (wanted === '-') return { file: null, shown: 'standard output' };
  const place =
    wanted === undefined ? usualPlace(cwd, name) : { file: path.resolve(cwd, wanted), shown: wanted };
  const { file, shown } = place;
  if (wanted !== undefined && existsSync(file))
    throw new BatonError('INVALID_INPUT', `${shown} is already there, and is not overwritten.`, {
      fix: 'Name another file with --output FILE, or --output - for standard output.',
    });
  const folder = path.dirname(file);
  if (!existsSync(folder))
    throw new BatonError('FILE_MISSING', `There is no folder ${folder}.`, {
      at: shown,
      fix: 'Make the folder, or name another file with --output FILE.',
    });
  await access(folder, constants.W_OK).catch((cause: unknown) => {
    throw new BatonError('INVALID_INPUT', `${folder} cannot be written to.`, {
      at: shown,
      fix: 'Name a file elsewhere with --output FILE, or --output - for standard output.',
      cause,
    });
  });
  return place;
}

/** Where a plan goes when no file was named for it; where both names are taken, {@link writePlanFile} finds another. */
export function usualPlace(cwd: string, name: string): PlanPlace & { file: string } {
  const names = ['plan.yaml', `${name}.yaml`];
  const shown = names.find((file) => !existsSync(path.resolve(cwd, file))) ?? `${name}.yaml`;
  return { file: path.resolve(cwd, shown), shown };
}

/**
 * Writes a plan where it was asked for. A file that appeared there while the agent worked stays: the plan gets the next free name.
 *
 * @param given.branch that holds the plan, for whom the file cannot be written
 * @returns where it is now
 * @throws INVALID_INPUT
 */
export async function writePlanFile(
  { file, shown }: PlanPlace,
  { text, branch }: { text: string; branch: string },
): Promise<PlanPlace> {
  if (file === null) return { file, shown };
  for (let nth = 1; ; nth += 1) {
    const name = (of: string) => (nth === 1 ? of : of.replace(/(\.\w+)?$/, `-${nth}$1`));
    try {
      await writeFile(name(file), text, { flag: 'wx' });
      return { file: name(file), shown: name(shown) };
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      if (code === 'EEXIST') continue;
      throw new BatonError('INVALID_INPUT', `The plan is made, but ${shown} cannot be written: ${message}`, {
        at: shown,
        fix: `It is on the branch ${branch}: \`git show ${shellWord(`${branch}:${draftName}`)} > FILE\``,
        cause,
      });
    }
  }
}
