import { workspaceSetup } from '@baton/contracts';
import { describe, expect, it } from 'vitest';
import { node } from './support/real.ts';
import { sh, verifying, ways } from './support/verifying.ts';

const files = { 'out/tracked.txt': 'old\n', 'readme.txt': 'x\n', '.gitignore': 'made\n' };
const setup = workspaceSetup.parse({
  setup: node('fs=require("fs");fs.mkdirSync("made");fs.writeFileSync("made/early.txt","early")'),
  inputs: [],
});

describe.each(ways)('a file that a command is to leave, by %s', (isolation) => {
  it('is read where the command wrote it, and not where it was there before or leads elsewhere', async () => {
    await using w = await verifying(files, { isolation, setup });
    await w.verifyPool.use({ head: w.head, onto: w.head }, async (place) => {
      const kept = async (line: string, keepFile: string) => (await sh(place, line, { keepFile })).kept;
      expect(await kept('mkdir cov; echo new > cov/a.txt', 'cov/a.txt')).toBe('new\n');
      expect(await kept('echo new > ./b.txt', './b.txt')).toBe('new\n');
      expect(await kept('true', 'cov/a.txt')).toBeNull();
      expect(await kept('true', 'out/tracked.txt')).toBeNull();
      expect(await kept('true', 'made/early.txt')).toBeNull();
      expect(await kept('ln -s /etc/passwd a.txt', 'a.txt')).toBeNull();
      expect(await kept('ln -s /etc cov', 'cov/passwd')).toBeNull();
      expect(await kept('mkdir a.txt', 'a.txt')).toBeNull();
      expect(await kept('mkfifo a.txt', 'a.txt')).toBeNull();
      expect(await kept('head -c 21000000 /dev/zero > a.txt', 'a.txt')).toBeNull();
      expect(await kept('echo x > ../a.txt', '../a.txt')).toBeNull();
    });
  });
});
