import { diffChange, diffRun, landedDiff, patchIdOf } from '@baton/janitor';
import { createExec, createGit, inspectRepository } from '@baton/spawner';
import { createRepo, type TestRepo } from '@baton/testkit';
import { expect, test } from 'vitest';
import { systemClock } from '@baton/service/system';

const git = createGit({ exec: createExec({ clock: systemClock }), env: process.env });

/** Settings of a repository that change what git prints. */
const settings: readonly (readonly [name: string, value: string])[] = [
  ['color.ui', 'always'],
  ['column.ui', 'always'],
  ['core.pager', 'false'],
  ['core.quotePath', 'true'],
  ['diff.algorithm', 'histogram'],
  ['diff.context', '0'],
  ['diff.external', 'false'],
  ['diff.interHunkContext', '9'],
  ['diff.mnemonicPrefix', 'true'],
  ['diff.noprefix', 'true'],
  ['diff.orderFile', 'order.txt'],
  ['diff.relative', 'true'],
  ['diff.suppressBlankEmpty', 'true'],
  ['i18n.logOutputEncoding', 'ISO-8859-1'],
  ['log.follow', 'true'],
  ['log.showSignature', 'true'],
  ['status.branch', 'true'],
  ['status.relativePaths', 'false'],
  ['status.short', 'true'],
  ['status.showUntrackedFiles', 'no'],
];

/** All that is read of one change. */
async function seen(repo: TestRepo, { from, to }: { from: string; to: string }): Promise<unknown> {
  const change = { git, repo: repo.path, from, to, patch: true };
  return {
    run: await diffRun({ git, repo: repo.path, target: 'main', base: from }),
    landed: await landedDiff({ git, repo: repo.path, commit: to }),
    change: await diffChange(change),
    patchId: await patchIdOf({ git, clone: repo.path, from, to }),
    facts: await inspectRepository({ git, path: repo.path }),
  };
}

test('what is read of a change and shown of it is the same under every setting of the repository', async () => {
  const lines = Array.from({ length: 30 }, (_, number) => (number % 3 === 0 ? '' : `line ${number}`));
  await using repo = await createRepo({
    'a.txt': lines.join('\n'),
    'süß.txt': 'x\n',
    'order.txt': '*.txt\n',
  });
  const from = await repo.git('rev-parse', 'HEAD');
  const changed = lines.map((line, number) => (number === 4 || number === 14 ? `${line}!` : line));
  await repo.write({ 'a.txt': changed.join('\n'), 'süß.txt': 'y\n', 'new/b.txt': 'b\n' });
  await repo.git('add', '--all');
  await repo.git('commit', '--quiet', '-m', 'grüße');
  const to = await repo.git('rev-parse', 'HEAD');
  await repo.write({ 'a.txt': 'dirty\n' });
  const plain = await seen(repo, { from, to });
  for (const [name, value] of settings) {
    await repo.git('config', name, value);
    expect(await seen(repo, { from, to }), `${name}=${value}`).toEqual(plain);
    await repo.git('config', '--unset', name);
  }
  for (const [name, value] of settings) await repo.git('config', name, value);
  expect(await seen(repo, { from, to }), 'all of them').toEqual(plain);
});
