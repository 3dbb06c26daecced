import { repoPath } from '@baton/contracts';
import { appendFile, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { definePlugin } from '../plugin.ts';

const options = z.strictObject({
  file: repoPath.default('events.jsonl').describe("file below the plugin's folder"),
  maxBytes: z
    .number()
    .int()
    .min(1_000)
    .max(1_000_000_000)
    .default(10_000_000)
    .describe('size at which a new file is begun'),
  keep: z
    .number()
    .int()
    .min(0)
    .max(100)
    .default(3)
    .describe('how many full files are kept: events.jsonl.1, .2, …'),
});

/**
 * Writes every event of the feed to a file, one JSON object a line, in order. After a crash some lines may come twice:
 * `position` distinguishes them. Files are readable by the owner only and bounded in size and number.
 */
export const fileLog = definePlugin({
  name: 'file-log',
  version: '1.0.0',
  options,
  async setup(api) {
    const { maxBytes, keep } = api.options;
    const file = path.join(api.directory, api.options.file);
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    let bytes = await endLine(file);
    api.observe('event:any', async (item) => {
      const line = `${JSON.stringify(item)}\n`;
      const size = Buffer.byteLength(line);
      if (bytes > 0 && bytes + size > maxBytes) {
        await rotate(file, keep);
        bytes = 0;
      }
      await appendFile(file, line, { mode: 0o600 });
      bytes += size;
    });
  },
});

/** Ends a line that a crash tore, so that the next one stays readable. Returns the size of the file. */
async function endLine(file: string): Promise<number> {
  const { size } = await stat(file).catch(() => ({ size: 0 }));
  if (size === 0) return 0;
  const handle = await open(file, 'r+');
  try {
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
    if (buffer[0] === 0x0a) return size;
    await handle.write('\n', size);
    return size + 1;
  } finally {
    await handle.close();
  }
}

async function rotate(file: string, keep: number): Promise<void> {
  await rm(`${file}.${keep}`, { force: true });
  for (let number = keep - 1; number >= 1; number -= 1)
    await renameIfThere(`${file}.${number}`, `${file}.${number + 1}`);
  await (keep === 0 ? rm(file, { force: true }) : renameIfThere(file, `${file}.1`));
}

async function renameIfThere(from: string, to: string): Promise<void> {
  await rename(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}
