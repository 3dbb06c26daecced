import path from 'node:path';
import { planOf } from '../support/plans.ts';

/** What an agent wrote, by its own account: told in a ledger outside of its worktree, once it stood in the worktree. */
const wrote = (folder: string): string => `const fs = require('node:fs');
const { createHash, randomUUID } = require('node:crypto');
const { key } = JSON.parse(fs.readFileSync(process.env.BATON_TASK_FILE, 'utf8'));
const write = (file, text) => {
  fs.writeFileSync(file, text);
  const blob = createHash('sha1').update('blob ' + Buffer.byteLength(text) + '\\0' + text).digest('hex');
  fs.appendFileSync(${JSON.stringify(path.join(folder, 'ledger'))}, blob + ' ' + key + ' ' + file + '\\n');
};
write(key + '-' + randomUUID() + '.txt', randomUUID());
`;
const flaky = `write('flaky.txt', fs.existsSync('flaky.txt') ? 'good' : 'bad');`;
const rewrites = (word: string) =>
  `fs.writeFileSync('shared.txt', fs.readFileSync('shared.txt', 'utf8') + ${JSON.stringify(`${word}\n`)});`;
const gate = `const fs = require('node:fs');
process.exit(fs.existsSync('flaky.txt') && fs.readFileSync('flaky.txt', 'utf8') !== 'good' ? 1 : 0);`;

/** A plan that is tortured, and what must come of it wherever it is struck. */
export interface TortureScript {
  /** The plan; its agents keep a ledger in `folder`. */
  text(folder: string): string;
  /** What somebody runs next in the same repository, on the same branch: one task, `next`. */
  nextText(folder: string): string;
  /** How many tries of each task count; all of them end CLOSED. */
  tries: Readonly<Record<string, number>>;
  /** What `shared.txt` says in the end. */
  shared: RegExp;
}

/** What the user's repository holds besides `shared.txt`, ignored: a secret, and a folder that takes long to install. */
export const ignoredFiles = {
  '.gitignore': '.env.test\n.ready\ndeps/\n',
  '.env.test': 'SECRET=1\n',
  'deps/library.txt': 'library\n',
};

const agentOf =
  (folder: string) =>
  (text = '') => ({ command: ['node', '-e', `${wrote(folder)}${text}`] });
const target = 'baton/torture';
const workspace = {
  setup: ['node', '-e', "require('node:fs').writeFileSync('.ready', '')"],
  copy: ['.env.test'],
  symlink: ['deps'],
};
const nextOf = (more: Record<string, unknown>) => (folder: string) =>
  planOf('next', [{ key: 'next', agent: agentOf(folder)() }], { target, ...more });

/** A rejection in a batch, a conflict and a dependency, in worktrees that are set up. */
export const toughPlan: TortureScript = {
  text(folder) {
    const agent = agentOf(folder);
    const batch = { role: 'docs', scope: 'small' };
    return planOf(
      'tough',
      [
        { key: 'flaky', ...batch, agent: agent(flaky), files: ['flaky.txt'] },
        { key: 'left', ...batch, agent: agent(rewrites('left')), files: ['shared.txt'] },
        { key: 'right', agent: agent(rewrites('right')) },
        { key: 'last', agent: agent(), depends_on: ['flaky', 'left'] },
      ],
      { target, workspace, max_agents: 2, gates: [{ name: 'good', command: ['node', '-e', gate] }] },
    );
  },
  nextText: nextOf({ workspace }),
  // The gate refuses the first work of `flaky`.
  tries: { flaky: 1, left: 0, right: 0, last: 0 },
  shared: /^shared\n(left\nright|right\nleft)$/,
};

/** As little as there can be, for blows at the server that it runs on. */
export const slightPlan: TortureScript = {
  text: (folder) => planOf('slight', [{ key: 'only', agent: agentOf(folder)(rewrites('only')) }], { target }),
  nextText: nextOf({}),
  tries: { only: 0 },
  shared: /^shared\nonly$/,
};
