import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { tempDir } from '@baton/testkit';
import { openSessionLog, type SessionLog } from './session-log.ts';

const redact = (text: string): string => text.replaceAll('secret', '***');

/** What is in a log once it was written by its own timer. */
async function written(log: SessionLog, file: string, text: string): Promise<string> {
  log.write(text);
  return vi.waitFor(() => {
    const found = readFileSync(file, 'utf8');
    expect(found).toContain(redact(text));
    return found;
  });
}

it('a log whose folder is removed while its agent speaks continues in a new one', async () => {
  await using folder = await tempDir();
  const file = path.join(folder.path, 'logs', 'session.log');
  const log = openSessionLog({ file, maxBytes: 10_000, redact });
  expect(await written(log, file, 'one\n')).toBe('one\n');
  rmSync(path.dirname(file), { recursive: true });
  expect(await written(log, file, 'a secret\n')).toBe('a ***\n');
});

it('what a full disk does not take ends nothing, and is named in the log once there is room', async () => {
  await using folder = await tempDir();
  const file = path.join(folder.path, 'session.log');
  symlinkSync('/dev/full', file);
  const log = openSessionLog({ file, maxBytes: 10_000, redact });
  log.write('one\n');
  log.flush();
  log.write('and two\n');
  log.flush();
  rmSync(file);
  expect(await written(log, file, 'three\n')).toBe('[12 bytes could not be written here: ENOSPC]\nthree\n');
  expect(await written(log, file, 'four\n')).toMatch(/\nthree\nfour\n$/);
});

it('a log that cannot be written holds up no other', async () => {
  await using folder = await tempDir();
  const files = ['one', 'two'].map((name) => path.join(folder.path, name));
  const [one, two] = files.map((file) => openSessionLog({ file, maxBytes: 10_000, redact }));
  mkdirSync(files[0] ?? '');
  one?.write('lost\n');
  expect(two && (await written(two, files[1] ?? '', 'kept\n'))).toBe('kept\n');
});
