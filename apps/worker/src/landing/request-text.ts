import { printableLine, type Verdict } from '@baton/contracts';
import type { LandingWork } from '@baton/task-store';
import { z } from 'zod';
import { tamperCheckName, weakenedCheckName } from './tamper-checks.ts';

const longestTitle = 120;
const longestSummary = 2_000;
const route = z.object({ agent: z.string(), model: z.string().nullable() });

/** Title and body of a task's pull request: what it is, who made it, what it passed and what it weakened. Pure. */
export function requestText(
  { task, run, attempt }: Pick<LandingWork, 'task' | 'run' | 'attempt'>,
  verdict: Pick<Verdict, 'results'> | null,
): { title: string; body: string } {
  const results = verdict?.results ?? [];
  const by = route.safeParse(attempt.route).data;
  const gates = results.filter(({ kind, passed }) => kind === 'gate' && passed);
  const weakened = results.filter(
    ({ name, passed }) => !passed && [tamperCheckName, weakenedCheckName].includes(name),
  );
  const agent = by === undefined ? '' : ` by ${code([by.agent, by.model].filter(Boolean).join('·'))}`;
  const summary = (attempt.summary ?? '').trim().slice(0, longestSummary);
  const body = [
    `Task ${code(task.key)} of the Baton run ${code(run.slug)}, attempt ${attempt.number}${agent}.`,
    '',
    gates.length === 0
      ? 'No gate was asked about it.'
      : `Gates that it passed: ${gates.map(({ name }) => code(name)).join(', ')}.`,
    ...(weakened.length === 0 ? [] : ['', 'Tests or gates were weakened:', '']),
    ...weakened.map(({ reason }) => `- ${code(reason)}`),
    ...(summary === '' ? [] : ['', 'What the agent says of it:', '', ...quoted(summary)]),
    '',
    'Merged, the task is closed once the target passes. Closed without a merge, it is tried again with the last comment as the reason.',
  ].join('\n');
  return { title: printableLine(task.title).slice(0, longestTitle) || task.key, body: `${body}\n` };
}

/** Text from outside as Markdown code: nothing in it is a link, a mention or a table. */
function code(text: string): string {
  return `\`${printableLine(text).replaceAll('`', "'").replaceAll('|', '¦')}\``;
}

/** Lines from outside as a block of code: indented, so that no line of them can end it. */
function quoted(text: string): string[] {
  return text.split('\n').map((line) => `    ${printableLine(line)}`);
}
