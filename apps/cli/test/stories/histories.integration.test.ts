import { inParts, until } from '@baton/testkit';
import { expect, test } from 'vitest';

import { createBench } from '../support/bench.ts';
import { planOf } from '../support/plans.ts';

const as = 'git -c user.name=Ada -c user.email=ada@example.com';
const step = (key: string, ...after: string[]) => ({
  ...{ key, title: `Task ${key}`, depends_on: after },
  agent: {
    command: [
      'sh',
      '-c',
      `set -e; echo 1 >${key}.txt; git add ${key}.txt; ${as} commit -qm 'feat: ${key} one'
echo 2 >>${key}.txt; ${as} commit -qam 'feat: ${key} two'`,
    ],
  },
});

for (const [cases, tagged] of inParts(1, [
  ['linear', ['feat: a one', 'feat: a two', 'feat: b one', 'feat: b two', 'feat: c one', 'feat: c two']],
  ['merge', ['Task a', 'Task b', 'Task c']],
  ['squash', ['feat: a two', 'feat: b two', 'feat: c two']],
]))
  test.each(cases)(
    'with history: %s in baton.yaml a run that is killed while it lands ends with each task on its branch once',
    tagged,
    async (history, subjects) => {
      await using bench = await createBench({
        'baton.yaml': `history: ${history}\n`,
        'plan.yaml': planOf('kept', [step('a'), step('b', 'a'), step('c', 'b')]),
      });
      const started = bench.start(['run', 'plan.yaml']);
      const landed = () =>
        started
          .stderr()
          .split('\n')
          .filter((line) => /landed/.test(line)).length;
      await until(() => landed() >= 1, { what: 'a task landed', timeoutMs: 60_000, everyMs: 2 });
      started.child.kill('SIGKILL');
      await started.ended;
      const ended = await bench.baton(['run', '--resume', '--json']);
      expect(ended.exitCode, ended.stderr).toBe(0);
      const { target } = JSON.parse(ended.stdout) as { target: string };
      const log = (...format: string[]) =>
        bench.repo.git('log', '--reverse', '--first-parent', ...format, `main..${target}`);
      expect((await log('--format=%s')).split('\n')).toEqual(subjects);
      const ids = (await log('--format=%(trailers:key=Task-Id,valueonly,separator=%x2C)'))
        .split('\n')
        .filter(Boolean);
      expect(new Set(ids).size).toBe(3);
      expect(ids).toHaveLength(3);

      // The change of a task is all of its commits, and those of a run are told by task.
      const diff = await bench.call(['diff', 'b']);
      expect(diff.stdout).toContain('+1');
      expect(diff.stdout).toContain('+2');
      expect(diff.stdout).not.toContain('a.txt');
      const whole = JSON.parse((await bench.call(['diff', '--json'])).stdout) as {
        commits: { taskId: string | null }[];
      };
      expect(whole.commits).toHaveLength(subjects.length);
      expect(new Set(whole.commits.map(({ taskId }) => taskId))).toEqual(new Set(ids));
      const merged = await bench.baton(['merge', '--json']);
      expect(merged.exitCode, merged.stderr).toBe(0);
      expect(await bench.repo.git('rev-parse', 'main')).toBe(await bench.repo.git('rev-parse', target));
    },
  );
