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

/** Tasks of the tough plan. */
export const toughKeys = ['flaky', 'last', 'left', 'one', 'right', 'two'] as const;

/** A plan with a rejection, a conflict, a batch and a dependency; its agents keep a ledger in `folder`. */
export function toughPlan(folder: string): string {
  const agent = (text = '') => ({ command: ['node', '-e', `${wrote(folder)}${text}`] });
  const mate = agent();
  return planOf(
    'tough',
    [
      { key: 'flaky', agent: agent(flaky), files: ['flaky.txt'] },
      { key: 'left', agent: agent(rewrites('left')) },
      { key: 'right', agent: agent(rewrites('right')) },
      { key: 'one', role: 'docs', scope: 'small', files: ['one.md'], agent: mate },
      { key: 'two', role: 'docs', scope: 'small', files: ['two.md'], agent: mate },
      { key: 'last', agent: agent(), depends_on: ['flaky', 'one'] },
    ],
    {
      max_agents: 2,
      gates: [{ name: 'good', command: ['node', '-e', gate] }],
    },
  );
}
