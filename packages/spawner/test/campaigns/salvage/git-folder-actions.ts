import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { agentGit, append, write, type Action } from './agent-tools.ts';

/** What agents leave in their git folder besides what git keeps there. */
export const gitFolderActions: Readonly<Record<string, Action>> = {
  'patch in git folder': (root, dice) => {
    write(path.join(root, '.git/wip.patch'), dice.text());
    mkdirSync(path.join(root, '.git/notes for later/deep'), { recursive: true });
    write(path.join(root, '.git/notes for later/deep/todo.lock'), dice.text());
    write(path.join(root, '.git/info/notes'), dice.text());
  },
  'patch among refs and logs': (root, dice) => {
    for (const folder of ['refs', 'logs']) {
      mkdirSync(path.join(root, '.git', folder), { recursive: true });
      write(path.join(root, '.git', folder, 'wip.patch'), dice.text());
    }
    write(path.join(root, '.git/WIP_HEAD'), dice.text());
  },
  'mail that does not apply': (root, dice) => {
    const mail = path.join(root, '.git/0001.mail');
    const hunk = `--- a/src/f1.txt\n+++ b/src/f1.txt\n@@ -900 +900 @@\n-never there\n+${dice.text()}`;
    const head = 'From 1 Mon Sep 17 00:00:00 2001\nFrom: a <a@b>\nDate: Mon, 1 Jan 2024 00:00:00 +0000\n';
    write(
      mail,
      `${head}Subject: [PATCH] mine\n\n---\n\ndiff --git a/src/f1.txt b/src/f1.txt\n${hunk}\n--\n2\n`,
    );
    agentGit(root, 'am', '-q', '.git/0001.mail');
    rmSync(mail, { force: true });
  },
  'hooks, attributes and settings': (root, dice) => {
    mkdirSync(path.join(root, '.git/hooks'), { recursive: true });
    write(path.join(root, '.git/hooks/pre-push'), `#!/bin/sh\n# ${dice.text()}`);
    write(path.join(root, '.git/info/attributes'), `*.dat -text # ${dice.text()}`);
    append(path.join(root, '.git/config'), `[alias]\n\tx = !echo ${dice.text()}`);
  },
  'objects of another tool': (root, dice) => {
    mkdirSync(path.join(root, '.git/lfs/objects/aa/bb'), { recursive: true });
    write(path.join(root, '.git/lfs/objects/aa/bb/aabb'), dice.text());
    agentGit(root, 'bundle', 'create', '-q', '.git/b.bundle', 'HEAD');
  },
  'object put aside': (root, dice) => {
    write(path.join(root, 'aside.txt'), dice.text());
    agentGit(root, 'add', 'aside.txt');
    const objects = path.join(root, '.git/objects');
    mkdirSync(path.join(objects, 'keep'), { recursive: true });
    for (const two of readdirSync(objects).filter((name) => /^[0-9a-f]{2}$/.test(name)))
      for (const name of readdirSync(path.join(objects, two)))
        renameSync(path.join(objects, two, name), path.join(objects, 'keep', `${two}${name}`));
    rmSync(path.join(root, 'aside.txt'), { force: true });
  },
  'repository of another format': (root, dice) => {
    rmSync(path.join(root, '.git'), { recursive: true, force: true });
    execFileSync('git', ['init', '-q', '--object-format=sha256'], { cwd: root });
    write(path.join(root, 'of-another-format.txt'), dice.text());
    agentGit(root, 'add', '-A', '--ignore-errors');
    agentGit(root, 'commit', '-qm', 'in another format');
    rmSync(path.join(root, 'of-another-format.txt'), { force: true });
    agentGit(root, 'add', '-A', '--ignore-errors');
    agentGit(root, 'commit', '-qm', 'gone again');
  },
};
