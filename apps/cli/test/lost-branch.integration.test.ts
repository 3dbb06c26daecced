import { expect, test } from 'vitest';

import { createBench } from './support/bench.ts';
import { planOf, writes } from './support/plans.ts';

const plan = planOf('cut', [
  { key: 'one', agent: writes('one.txt', 'one\n') },
  { key: 'two', agent: writes('two.txt', 'two\n'), depends_on: ['one'] },
]);

test(
  'merge and diff of a run whose branch was deleted or moved back say what is missing, with the command that helps',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench({ 'plan.yaml': plan });
    const { git } = bench.repo;
    expect((await bench.baton(['run', 'plan.yaml'])).exitCode).toBe(0);
    const target = await git('for-each-ref', '--format=%(refname:short)', 'refs/heads/baton/');
    const head = await git('rev-parse', target);
    const restore = `git branch ${target} ${head}`;

    await git('branch', '-D', target);
    for (const verb of ['merge', 'diff']) {
      const ended = await bench.call([verb]);
      expect(ended.exitCode).toBe(2);
      expect(ended.stderr).toContain(`error REF_INVALID: The branch ${target} does not exist.`);
      expect(ended.stderr).toContain(`Bring back what landed: \`${restore}\`.`);
    }

    await git('branch', target, `${head}~2`);
    const nothing = await bench.call(['diff']);
    expect(nothing.exitCode).toBe(0);
    expect(nothing.stdout).not.toContain('Nothing has landed.');
    expect(nothing.stdout).toMatch(/one, two landed on \S+, and are not there any more: it was moved to /);
    await git('branch', '-f', target, `${head}~1`);
    const shown = await bench.call(['diff', '--stat']);
    expect(shown.stdout).toContain('1 commit on ');
    expect(shown.stdout).toContain('two landed on ');
    expect(shown.stdout).toContain(`Bring back what landed: \``);
    const names = await bench.call(['diff', '--name-only']);
    expect(names).toMatchObject({
      stdout: 'one.txt\n',
      stderr: expect.stringContaining('two landed on ') as string,
    });
    expect(JSON.parse((await bench.call(['diff', '--json'])).stdout)).toMatchObject({
      lost: { kind: 'behind', tasks: [{ key: 'two' }] },
    });

    const partly = await bench.call(['merge']);
    expect(partly.exitCode).toBe(0);
    expect(partly.stdout).toContain(`Took ${target} into main`);
    expect(partly.stdout).toMatch(/two landed on \S+, and is not there any more: it was moved to /);
    const json = JSON.parse((await bench.call(['merge', '--json'])).stdout) as unknown;
    expect(json).toMatchObject({ kind: 'up_to_date', lost: { kind: 'behind', tasks: [{ key: 'two' }] } });

    await git('branch', '-f', target, head);
    const whole = await bench.call(['merge']);
    expect(whole.stdout).not.toContain('not there any more');
    expect(await git('rev-parse', 'main')).toBe(head);
    expect(JSON.parse((await bench.call(['diff', '--json'])).stdout)).toMatchObject({ lost: null });
    await git('branch', '-f', target, `${head}~1`);
    expect((await bench.call(['merge'])).stdout).not.toContain('not there any more');

    await git('branch', '-D', target);
    const gone = JSON.parse((await bench.call(['diff', '--json'])).stdout) as {
      error: Record<string, unknown>;
    };
    const slug = target.replace('baton/', '');
    expect(gone.error).toMatchObject({
      at: slug,
      fix: `See what landed task by task, such as \`baton diff ${slug}/one\`.`,
    });
    expect((await bench.call(['diff', `${slug}/one`])).stdout).toContain('+one');
  },
);
