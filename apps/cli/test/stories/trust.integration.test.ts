import { expect, test } from 'vitest';

import { createBench } from '../support/bench.ts';
import { planOf, writes } from '../support/plans.ts';

const agents = {
  honest: writes('ok.txt', 'ok\n'),
  cheat: {
    command: [
      'node',
      '-e',
      "const fs = require('node:fs'); fs.rmSync('a.test.js'); fs.writeFileSync('b', '')",
    ],
  },
};
const planBy = (name: keyof typeof agents) =>
  planOf(name, [{ key: 'a', agent: 'mason', max_retries: 0 }], {
    trust: 'enforce',
    agents: { mason: agents[name] },
  });

test(
  'an agent that tampered loses a level: what it does next waits for a person, and `baton trust` says why',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench({
      'a.test.js': 'test("adds", () => { expect(1 + 1).toBe(2); });\n',
      'honest.yaml': planBy('honest'),
      'cheat.yaml': planBy('cheat'),
    });
    expect((await bench.call(['trust'])).stdout).toContain('No agent has a record here yet.');
    const before = await bench.baton(['run', 'honest.yaml', '--json']);
    expect(before.exitCode, before.stderr).toBe(0);
    const cheated = await bench.baton(['run', 'cheat.yaml', '--json']);
    expect(cheated.exitCode, cheated.stderr).toBe(3);
    expect((await bench.call(['reject', 'a', '--reason', 'deletes a test'])).exitCode).toBe(0);
    const after = await bench.baton(['run', 'honest.yaml', '--json']);
    expect(after.exitCode, after.stderr).toBe(3);
    const waiting = await bench.call(['approve', '--json']);
    expect(waiting.stdout).toContain('trust is PROBATIONARY, to land without a person it takes TRUSTED');
    const table = await bench.call(['trust']);
    expect(table.stdout).toMatch(
      /mason \(command\) +– +backend +1 +0 +1 \(a person refused it: deletes a test\)/,
    );
    const json = await bench.call(['trust', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      agents: [{ agent: 'mason', landed: 1, violations: 1, ownPlan: 'PROBATIONARY', others: 'UNTRUSTED' }],
    });
    const task = await bench.call(['task', 'a']);
    expect(task.stdout).toMatch(
      /deadline 30m: the default of scope medium: 1 of 8 landed tries are known for backend/,
    );
    expect(task.stdout).toMatch(/✘ trust .*PROBATIONARY/);
  },
);
