import path from 'node:path';

import type { TestRepo } from '@baton/testkit';

import { planOf } from '../support/plans.ts';

/** What an agent wrote, by its own account: told in a ledger outside of its worktree, once it stood in the worktree. */
export const wrote = (folder: string): string => `const fs = require('node:fs');
const { createHash, randomUUID } = require('node:crypto');
const { key } = JSON.parse(fs.readFileSync(process.env.BATON_TASK_FILE, 'utf8'));
const write = (file, text, then = () => undefined) => {
  fs.writeFileSync(file, text);
  then();
  const blob = createHash('sha1').update('blob ' + Buffer.byteLength(text) + '\\0' + text).digest('hex');
  fs.appendFileSync(${JSON.stringify(path.join(folder, 'ledger'))}, blob + ' ' + key + ' ' + file + '\\n');
};
write(key + '-' + randomUUID() + '.txt', randomUUID());
`;
const flaky = `write('flaky.txt', fs.existsSync('flaky.txt') ? 'good' : 'bad');`;
/** Adds a line to `shared.txt`. */
export const rewrites = (word: string) =>
  `fs.writeFileSync('shared.txt', fs.readFileSync('shared.txt', 'utf8') + ${JSON.stringify(`${word}\n`)});`;
const gate = `const fs = require('node:fs');
process.exit(fs.existsSync('flaky.txt') && fs.readFileSync('flaky.txt', 'utf8') !== 'good' ? 1 : 0);`;

/** A plan that is tortured, and what must come of it wherever it is struck. */
export interface TortureScript {
  /** The plan; its agents keep a ledger in `folder`. */
  text(folder: string): string;
  /** What somebody runs next in the same repository, on the same branch: one task, `next`. */
  nextText(folder: string): string;
  /** How many tries of each task count, or how many may, depending on where it was struck; all of them end CLOSED. */
  tries: Readonly<Record<string, number | readonly number[]>>;
  /** What `shared.txt` says in the end. */
  shared: RegExp;
  /** Its work lands on the branch that the user has checked out. */
  isCheckedOut?: true;
  /** What else the user's repository has or holds from the beginning; `folder` lies outside of it. */
  prepare?(repo: TestRepo, folder: string): Promise<void>;
  /** Words that stand before the program, which is to work in this folder. */
  under?(folder: string): readonly string[];
}

/** What the user's repository holds besides `shared.txt`, ignored: a secret, and a folder that takes long to install. */
export const ignoredFiles = {
  '.gitignore': '.env.test\n.ready\ndeps/\n*.ignored\n',
  '.env.test': 'SECRET=1\n',
  'deps/library.txt': 'library\n',
};

/** An agent that writes a file of its own and does what `text` says, telling in the ledger of `folder` what it writes. */
export const agentOf =
  (folder: string) =>
  (text = '') => ({ command: ['node', '-e', `${wrote(folder)}${text}`] });
/** The integration branch of plans that do not name another. */
export const target = 'baton/torture';
const workspace = {
  setup: ['node', '-e', "require('node:fs').writeFileSync('.ready', '')"],
  copy: ['.env.test'],
  symlink: ['deps'],
};
/** The text of a plan with the one task `next`. */
export const nextOf =
  (more: Record<string, unknown> = {}) =>
  (folder: string) =>
    planOf('next', [{ key: 'next', agent: agentOf(folder)() }], { target, ...more });

/** A rejection, a conflict and a dependency, in worktrees that are set up. */
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
      {
        target,
        workspace,
        max_agents: 2,
        files_strict: false, // each agent signs with a file of its own
        gates: [{ name: 'good', command: ['node', '-e', gate] }],
      },
    );
  },
  nextText: nextOf({ workspace }),
  // The gate refuses the first work of `flaky`.
  tries: { flaky: 1, left: 0, right: 0, last: 0 },
  shared: /^shared\n(left\nright|right\nleft)$/,
};

const git = `const { execFileSync } = require('node:child_process');
const git = (...args) => execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.invalid', ...args]);
`;
const oddities = {
  nested: `${git}git('init', '--quiet', 'inner'); write('inner/file.txt', randomUUID());`,
  commits: `${git}git('init', '--quiet', 'stray'); fs.writeFileSync('stray/file.txt', '');
git('-C', 'stray', 'add', '--all'); git('-C', 'stray', 'commit', '--quiet', '-m', 'inner');
const force = (file, ...more) => write(file, randomUUID(), () => git('add', '--force', file, ...more));
force('forced.ignored', 'stray'); // an ignored file is its work from then on, not before
write('committed.txt', randomUUID()); git('add', 'committed.txt'); git('commit', '--quiet', '-m', 'own');
force('more.ignored');`,
  talks: `console.log('working');
require('node:child_process').spawn('sleep', ['60'], { stdio: 'ignore' }).unref();`,
};

/** Accepts whatever it reads. */
const reviewer = `const [, review] = /"review": "([^"]+)"/.exec(require('node:fs').readFileSync(0, 'utf8'));
console.log(JSON.stringify({ review, answers: [{ question: 1, verdict: 'accept', confidence: 1, reasons: [] }] }));`;

/** Agents that make repositories of their own, commit by themselves and leave processes behind, a reviewer, and two gates. */
export const oddPlan: TortureScript = {
  async prepare(repo) {
    const routing = { reviewer: { agent: { command: ['node', '-e', reviewer] } } };
    await repo.write({ 'baton.yaml': JSON.stringify({ routing }) });
  },
  text(folder) {
    const agent = agentOf(folder);
    const steps = Object.entries(oddities).map(([key, text]) => ({ key, agent: agent(text) }));
    const passing = ['node', '-e', '0'];
    const gates = [
      { name: 'one', command: passing },
      { name: 'two', command: passing },
    ];
    return planOf('odd', steps, { target, max_agents: 2, gates });
  },
  nextText: nextOf(),
  tries: { nested: 0, commits: 0, talks: 0 },
  shared: /^shared$/,
};

/** As little as there can be, for blows at the server that it runs on. */
export const slightPlan: TortureScript = {
  text: (folder) => planOf('slight', [{ key: 'only', agent: agentOf(folder)(rewrites('only')) }], { target }),
  nextText: nextOf(),
  tries: { only: 0 },
  shared: /^shared\nonly$/,
};

/** Work for the branch that is checked out: it arrives in the user's own files. */
export const checkedOutPlan: TortureScript = {
  text: (folder) =>
    planOf('here', [{ key: 'only', agent: agentOf(folder)(rewrites('only')) }], { target: 'main' }),
  nextText: nextOf({ target: 'main' }),
  tries: { only: 0 },
  shared: /^shared\nonly$/,
  isCheckedOut: true,
};
