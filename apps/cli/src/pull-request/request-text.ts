import { printableLine } from '@baton/contracts';
import type { Run } from '@baton/task-store';

import { formatUsd } from '../terminal/format.ts';
import type { RunResult } from '../run/summary.ts';

/** What a pull request says of itself. */
export interface RequestText {
  title: string;
  /** Markdown. */
  body: string;
}

const mostRows = 100;
const longestTitle = 120;

/** Title and body for the work of a run: its tasks with their commits and agents, the gates, and what was weakened. Pure. */
export function requestText(run: Pick<Run, 'name' | 'slug' | 'gates'>, result: RunResult): RequestText {
  const landed = result.tasks.filter(({ commit }) => commit !== null);
  const open = result.tasks.filter(({ commit }) => commit === null);
  const rows = landed
    .slice(0, mostRows)
    .map(
      ({ key, title, commit, agent, model, tries }) =>
        `| ${code(key)} | ${code(title)} | ${commit?.slice(0, 12) ?? ''} | ${agent === null ? '' : code([agent, model].filter(Boolean).join('·'))} | ${tries} |`,
    );
  const weakened = landed.filter((task) => task.weakened.length > 0);
  const gates = run.gates.map(({ name, required }) => `${code(name)}${required ? '' : ' (advisory)'}`);
  const cost = result.costMicroUsd ? ` Cost: ${formatUsd(result.costMicroUsd)}.` : '';
  const body = [
    `${landed.length} of ${result.tasks.length} tasks of the Baton run ${code(run.slug)} landed on ${code(result.target)}.${cost}`,
    '',
    '| task | title | commit | agent | tries |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    ...(landed.length > mostRows ? ['', `And ${landed.length - mostRows} more.`] : []),
    '',
    gates.length === 0 ? 'No gates were set.' : `Gates that each commit passed: ${gates.join(', ')}.`,
    ...(weakened.length === 0 ? [] : ['', 'Tests or gates were weakened:', '']),
    ...weakened.flatMap(({ key, weakened: texts }) => texts.map((text) => `- ${code(key)}: ${code(text)}`)),
    ...(open.length === 0 ? [] : ['', `Not landed: ${open.map(({ key }) => code(key)).join(', ')}.`]),
  ].join('\n');
  return { title: printableLine(run.name).slice(0, longestTitle), body: `${body}\n` };
}

/** Text from outside as Markdown code: nothing in it is a link, a mention or a table. */
function code(text: string): string {
  return `\`${printableLine(text).replaceAll('`', "'").replaceAll('|', '¦')}\``;
}
