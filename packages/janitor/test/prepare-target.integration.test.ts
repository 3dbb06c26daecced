import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { prepareTarget } from '../src/index.ts';
import { sh, userAndClone } from './helpers/repos.ts';
import { git } from './helpers/run.ts';

test.each(['local', 'remote'])(
  'a target that does not exist is refused with the command that makes it from anywhere: %s',
  async (kind) => {
    const { user, clone, base } = await userAndClone({ 'a.txt': 'a\n' });
    const repo = kind === 'local' ? user : `file://${user}`;
    const target = "it's;done";
    const options = { git, clone, repo, target, startPoint: base };
    const error: { code: string; fix: string } = await prepareTarget(options).then(
      () => ({ code: 'none', fix: '' }),
      (thrown: unknown) => thrown as { code: string; fix: string },
    );
    expect(error.code).toBe('REF_INVALID');
    const [, line = ''] = /`([^`]+)`/.exec(error.fix) ?? [];
    await promisify(execFile)('sh', ['-c', line], { cwd: kind === 'local' ? '/' : user });
    expect(await sh(user, 'rev-parse', `refs/heads/${target}`)).toBe(base);
    expect(await prepareTarget(options)).toMatchObject({ head: base });
  },
);
