import { mkdir, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { createBench } from './support/bench.ts';

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

test('the plugins that plugins.md shows are found and loaded', async () => {
  await using bench = await createBench({
    'baton.yaml': await block('plugins.md', 'yaml'),
    'tools/baton-guard.mjs': await block('plugins.md', 'ts'),
  });
  const installed = path.join(bench.repo.path, 'node_modules/@baton');
  await mkdir(installed, { recursive: true });
  const plugins = fileURLToPath(new URL('../../../packages/plugins', import.meta.url));
  await symlink(plugins, path.join(installed, 'plugins'));
  const listed = await bench.baton(['plugins', 'list', '--json']);
  expect(listed.exitCode, listed.stderr).toBe(0);
  const { plugins: found } = JSON.parse(listed.stdout) as { plugins: { name: string; used: boolean }[] };
  expect(found.filter(({ used }) => used).map(({ name }) => name)).toEqual([
    'file-log',
    'task-guard',
    'baton-guard',
  ]);
});
