import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

/** Absolute path of a program as a shell would find it; null when it is not there. */
export function findProgram(
  program: string,
  { env }: { env: Readonly<Record<string, string | undefined>> },
): string | null {
  const folders = program.includes('/') ? [''] : (env['PATH'] ?? '').split(path.delimiter);
  for (const folder of folders) {
    const file = folder === '' ? program : path.join(folder, program);
    try {
      accessSync(file, constants.X_OK);
      if (statSync(file).isFile()) return path.resolve(file);
    } catch {
      continue;
    }
  }
  return null;
}
