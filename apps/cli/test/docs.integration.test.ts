import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import { createBench } from './support/bench.ts';
import { planOf, writes } from './support/plans.ts';

const docs = path.join(import.meta.dirname, '../../../docs');

/** The first block of a page in a language. */
async function block(page: string, language: string): Promise<string> {
  const text = await readFile(path.join(docs, page), 'utf8');
  const found = new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'm').exec(text)?.[1];
  if (found === undefined) throw new Error(`${page} shows no ${language}`);
  return found;
}

test('the rules and the event that triggers.md shows fire as it says', async () => {
  const shell = await block('triggers.md', 'sh');
  const [, event = '', args = ''] = /^echo '(.*)' > event\.json\nbaton (.*?) +#/m.exec(shell) ?? [];
  await using bench = await createBench({
    'triggers.yaml': await block('triggers.md', 'yaml'),
    'event.json': event,
  });
  const tested = await bench.call([...args.split(' '), '--json']);
  expect(tested.exitCode, tested.stderr).toBe(0);
  expect(JSON.parse(tested.stdout)).toMatchObject({
    rules: [
      {
        rule: 'deploy-failed',
        fires: true,
        planned: false,
        draft: {
          title: 'Mend the deploy of shop',
          goal: 'Find out why it failed and mend it. The log: exit 1',
        },
      },
      { rule: 'nightly', fires: false },
    ],
  });
  const stranger = await bench.call([...args.replace('release-bot', 'stranger').split(' '), '--json']);
  expect(JSON.parse(stranger.stdout)).toMatchObject({ rules: [{ fires: true, planned: true }, {}] });
});

test('the plugins that plugins.md shows work in a repository that installed nothing', async () => {
  await using bench = await createBench({
    'baton.yaml': await block('plugins.md', 'yaml'),
    'tools/baton-guard.mjs': await block('plugins.md', 'js'),
    'plan.yaml': planOf('t', [{ key: 'a', agent: writes('a.txt', 'a\n') }]),
  });
  const listed = await bench.baton(['plugins', 'list', '--json']);
  expect(listed.exitCode, listed.stderr).toBe(0);
  const { plugins: found } = JSON.parse(listed.stdout) as { plugins: { name: string; used: boolean }[] };
  expect(found.filter(({ used }) => used).map(({ name }) => name)).toEqual([
    'file-log',
    'task-guard',
    'baton-guard',
  ]);
  // A module is loaded once in a process: what this one sees is broken from the start.
  await bench.repo.write({ 'tools/baton-guard.mjs': 'export const plugin = { name: "half" };\n' });
  for (const args of [
    ['plan', 'check', 'plan.yaml'],
    ['run', 'plan.yaml', '--dry-run'],
    ['up', '--dry-run'],
  ]) {
    const refused = await bench.call(args);
    expect(refused.exitCode, refused.stdout).toBe(2);
    expect(refused.stderr).toContain(
      'error PLUGIN_INVALID: The plugin "./tools/baton-guard.mjs" cannot be used:',
    );
    expect(refused.stderr).toContain('setup: must be a function');
    expect(refused.stderr).toContain('Correct the plugin in ');
  }
});
