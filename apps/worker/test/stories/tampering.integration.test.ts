import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createRig, scripted } from '../helpers/rig.ts';

it('notices an agent that writes into Baton’s clone, salvages its work, puts the clone back, and lands an honest try', async () => {
  await using rig = await createRig();
  // The fake agent knows its worktree only; the clone lies beside the pools, at a place that can be looked up.
  const plant = [
    "const fs = require('fs'), path = require('path');",
    `const repos = path.join(${JSON.stringify(rig.stateDir)}, 'repos');`,
    "const clone = path.join(repos, fs.readdirSync(repos)[0], 'clone.git');",
    "fs.appendFileSync(path.join(clone, 'config'), '[core]\\n\\tfsmonitor = /bin/false\\n');",
    "fs.mkdirSync(path.join(clone, 'hooks'), { recursive: true });",
    "fs.writeFileSync(path.join(clone, 'hooks', 'post-checkout'), '#!/bin/sh\\n', { mode: 0o755 });",
  ].join('');
  const agent = scripted({
    attempts: [
      [{ write: { 'work.txt': 'tainted\n' } }, { run: [process.execPath, '-e', plant] }],
      [{ write: { 'work.txt': 'honest\n' } }],
    ],
  });
  const { run } = await rig.submit({
    name: 'tampering',
    stages: [{ name: 'all', steps: [{ key: 'job', title: 'job', agent, max_retries: 0 }] }],
  });
  await rig.worker();
  await rig.settled(run.id, ['failed']);
  const task = (await rig.tasks(run.id)).get('job');
  await rig.store.tasks.retry(task?.id ?? '', { actor: 'operator:test', reason: 'once more' });
  await rig.settled(run.id);
  expect(await rig.repo.git('show', `${run.target}:work.txt`)).toBe('honest');
  const [tainted, honest] = await rig.store.tasks.attempts(task?.id ?? '');
  expect(tainted).toMatchObject({
    outcome: 'agent_failed',
    abortReason: 'permission_denied',
    summary: expect.stringMatching(/config, hooks\/post-checkout/) as string,
    salvageRef: expect.stringMatching(/^refs\/baton\/salvage\//) as string,
  });
  expect(honest).toMatchObject({ outcome: 'done' });
  const moves = await rig.store.tasks.history({ machine: 'task', entityId: task?.id ?? '' });
  expect(moves.find((move) => move.to === 'FAILED')).toMatchObject({ transitionReason: 'permission_denied' });
  const repos = path.join(rig.stateDir, 'repos');
  const clone = path.join(repos, readdirSync(repos)[0] ?? '', 'clone.git');
  expect(readFileSync(path.join(clone, 'config'), 'utf8')).not.toContain('fsmonitor');
  expect(existsSync(path.join(clone, 'hooks', 'post-checkout'))).toBe(false);
});
