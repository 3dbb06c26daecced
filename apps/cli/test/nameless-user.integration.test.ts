import { spawnSync } from 'node:child_process';

import { appArguments, tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';

const nameless = 54_321;
const asNameless = (argv: readonly string[], env: Record<string, string> = {}) =>
  spawnSync(process.execPath, argv, {
    ...{ uid: nameless, gid: nameless, cwd: '/', encoding: 'utf8' },
    env: { PATH: process.env['PATH'] ?? '', ...env },
  });

// Only root can be somebody else, and not where Node is below a folder that is closed to others.
const canBe = process.getuid?.() === 0 && asNameless(['-v']).status === 0;

test.runIf(canBe)(
  'a user id that has neither a name nor a home is refused with what to set, and works once that is set',
  async () => {
    await using place = await tempDir();
    const projects = [...appArguments('cli', process.env), 'projects', '--json'];
    const refused = asNameless(projects);
    expect(refused.status, refused.stderr).toBe(2);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      error: { code: 'CONFIG_INVALID', at: 'HOME', fix: expect.stringContaining('Set BATON_HOME') as string },
    });
    const known = asNameless(projects, { BATON_HOME: place.path });
    expect(known.status, known.stderr).toBe(0);
    expect(JSON.parse(known.stdout)).toMatchObject({ projects: [] });
  },
);
