import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { inParts } from '@baton/testkit';
import { ownRef } from '../src/index.ts';
import { gitFolderActions } from './campaigns/salvage/git-folder-actions.ts';
import { ends, openGround, play } from './campaigns/salvage/play.ts';
import { atWork, commit, owner } from './support/at-work.ts';
import { agentGit } from './support/workspaces.ts';

for (const [cases, tagged] of inParts(3, Object.keys(gitFolderActions)))
  test.each(cases)(
    'what an agent leaves in its git folder beside git’s own is kept or named, however it ended (%s)',
    { ...tagged, timeout: 120_000 },
    async (does) => {
      await using ground = await openGround();
      const found: string[] = [];
      for (const [at, end] of ends.entries()) {
        const more = at === 1 ? ['write', 'commit'] : [];
        const name = `${does}/${end}`;
        const { problems } = await play(ground, {
          name,
          seed: at,
          does: ['write', does, ...more],
          end,
          dieAt: 9,
        });
        found.push(...problems.map((problem) => `${name}: ${problem}`));
      }
      expect(found).toEqual([]);
    },
  );

test('what git, and tools that set git up, write into the git folder is no work beside what the task commits', async () => {
  await using w = await atWork();
  const at = w.workspace.path;
  await agentGit(at, 'init', '-q');
  await agentGit(at, 'checkout', '-q', '-b', 'topic');
  writeFileSync(path.join(at, 'a.txt'), 'mine\n');
  await agentGit(at, 'add', '-A');
  await agentGit(at, 'commit', '-q', '-m', 'by the agent');
  await agentGit(at, 'tag', 'mark');
  await agentGit(at, 'reset', '-q', '--soft', 'HEAD');
  await agentGit(at, 'fetch', '-q', '.', 'topic');
  await agentGit(at, 'gc', '-q');
  await agentGit(at, 'commit-graph', 'write', '--reachable');
  await agentGit(at, 'update-server-info');
  await agentGit(at, 'config', 'core.hooksPath', '.husky');
  await agentGit(at, 'config', 'user.name', 'An Agent');
  mkdirSync(path.join(at, '.git/hooks'), { recursive: true });
  writeFileSync(path.join(at, '.git/hooks/pre-push.sample'), '# of git itself\n');
  appendFileSync(path.join(at, '.git/info/exclude'), '# a comment\n');
  const { headCommit } = await commit(w.workspace, w.head);
  await w.clone.keepAttempt({ ...owner, commit: headCommit });
  expect(await w.pool.release(w.workspace)).toBeNull();
  expect(await w.clone.resolve(ownRef(owner))).toBeNull();
});
