import { readFileSync } from 'node:fs';
import { z } from 'zod';

const manifest = z.object({ version: z.string().min(1) });

/** The version of this package; `package.json` lies beside `src` and `dist` alike. */
export function ownVersion(): string {
  return manifest.parse(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')))
    .version;
}
