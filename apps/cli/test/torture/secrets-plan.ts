import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { blow } from '../../../../packages/task-store/test/campaigns/torture/stage.ts';
import { planOf } from '../support/plans.ts';
import type { RunPlace } from './run-place.ts';
import { agentOf, nextOf, target, wrote, type TortureScript } from './tough-plan.ts';

/**
 * What an agent does that leaves a secret behind, told in a ledger of secrets once it stood in the worktree: at its first try it waits
 * to be struck down with its worker.
 */
const hides = (folder: string, key: string): string => `
const hidden = ${JSON.stringify(hidden(folder, key))};
const work = () => {
  ${wrote(folder)}
};
if (${JSON.stringify(key)} === 'both') work();
if (require('node:fs').existsSync(hidden)) {
  if (${JSON.stringify(key)} === 'bare') work();
} else {
  const fs = require('node:fs');
  const secret = 'TOKEN=' + require('node:crypto').randomUUID() + '\\n';
  fs.mkdirSync('conf');
  fs.writeFileSync('conf/.env.local', secret);
  fs.appendFileSync(${JSON.stringify(path.join(folder, 'secrets'))}, ${JSON.stringify(key)} + ' ' + secret);
  fs.writeFileSync(hidden, '');
  setInterval(() => undefined, 60_000);
}`;
const hidden = (folder: string, key: string): string => path.join(folder, `${key}-hidden`);

/** Ends when both of the others have hidden their secrets. */
const watches = (folder: string): string => `
const timer = setInterval(() => {
  if (${JSON.stringify(['both', 'bare'].map((key) => hidden(folder, key)))}.every((file) => fs.existsSync(file))) clearInterval(timer);
}, 20);`;

/** One agent leaves a secret beside its work, another nothing but a secret; both are at it when the third one is done. */
export const secretsPlan: TortureScript = {
  text: (folder) =>
    planOf(
      'secrets',
      [
        { key: 'both', agent: { command: ['node', '-e', hides(folder, 'both')] } },
        { key: 'bare', agent: { command: ['node', '-e', hides(folder, 'bare')] } },
        { key: 'third', agent: agentOf(folder)(watches(folder)) },
      ],
      { target, max_agents: 3 },
    ),
  nextText: nextOf(),
  tries: { both: 0, bare: 0, third: 0 },
  shared: /^shared$/,
};

/** With this blow both agents are struck down. */
export const firstBlow = blow('git:update-ref spawner/tree/clone:keepAttempt');

/** Where a call of `baton rescue` writes to. */
export const rescuedInto = (home: string, { key, at }: { key: string; at: number }): string =>
  path.join(home, `rescued-${key}-${at}`);

/** The secret of a task is kept as it was, and restored with its work; nothing is left of how that was done. */
export function judgeRescue({ home }: RunPlace, key: string): Promise<string[]> {
  const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  const secrets = read(path.join(home, 'secrets'))
    .split('\n')
    .filter((line) => line.startsWith(`${key} `))
    .map((line) => `${line.slice(key.length + 1)}\n`);
  const kept = globSync('projects/*/repos/*/kept-files/*/*/conf/.env.local', { cwd: home }).map((file) =>
    readFileSync(path.join(home, file), 'utf8'),
  );
  const into =
    [0, 1, 2, 3].map((at) => rescuedInto(home, { key, at })).findLast((folder) => existsSync(folder)) ?? '';
  const restored = read(path.join(into, 'conf/.env.local'));
  const work = globSync(`${key}-*.txt`, { cwd: into });
  const left = globSync('projects/*/repos/*/restore-*', { cwd: home });
  return Promise.resolve([
    ...(secrets.length > 0 ? [] : [`${key} wrote no secret`]),
    ...secrets.filter((secret) => !kept.includes(secret)).map(() => `a secret of ${key} was not kept`),
    ...(restored === secrets.at(-1)
      ? []
      : [`the secret of ${key} was restored as ${JSON.stringify(restored)}`]),
    ...(work.length === (key === 'both' ? 1 : 0) ? [] : [`${work.length} files of ${key} were restored`]),
    ...left.map((file) => `left by a rescue: ${file}`),
  ]);
}
