import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { placeFault, readDiff } from './place-fault.ts';

/** A fault in the sources of a folder. */
export interface PlantedFault {
  /** Writes the files as they were before. */
  clear(): Promise<void>;
}

/** Changes the sources below `folder` by a unified diff; `misfit` says why it does not fit them. All of it is planted, or nothing. */
export async function plantFault(folder: string, patch: string): Promise<PlantedFault | { misfit: string }> {
  const changed = await changedBy(folder, patch);
  if (typeof changed === 'string') return { misfit: changed };
  for (const { file, text } of changed) await writeFile(file, text);
  return {
    async clear() {
      for (const { file, was } of changed) await writeFile(file, was);
    },
  };
}

/** Why a unified diff does not fit the sources below `folder`, or null. Writes nothing. */
export async function faultMisfit(folder: string, patch: string): Promise<string | null> {
  const changed = await changedBy(folder, patch);
  return typeof changed === 'string' ? changed : null;
}

async function changedBy(
  folder: string,
  patch: string,
): Promise<{ file: string; text: string; was: string }[] | string> {
  const changed: { file: string; text: string; was: string }[] = [];
  for (const { path: name, places } of readDiff(patch)) {
    const file = path.join(folder, name);
    const was = await readFile(file, 'utf8').catch(() => null);
    if (was === null) return `${name} does not exist`;
    const placed = placeFault(was, places);
    if ('misfit' in placed) return `${name}: ${placed.misfit}`;
    changed.push({ file, text: placed.text, was });
  }
  return changed;
}
