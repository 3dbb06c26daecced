import { until } from '@baton/testkit';
import { scripted, type Rig } from './rig.ts';

/** What a reviewer answers to one question. */
export interface Answer {
  verdict: 'accept' | 'reject' | 'unsure';
  confidence?: number;
  reasons?: readonly string[];
}

/**
 * A reviewer that reads its prompt as an agent does, knows the nonce from there, and answers each question: with a rejection where the
 * patch has one of these words, else with `otherwise`.
 *
 * @param options.before a line of JavaScript that runs first, with the prompt in `prompt`
 */
export function reviewer(
  refused: Readonly<Record<string, string>>,
  { otherwise = { verdict: 'accept' }, before = '' }: { otherwise?: Answer; before?: string } = {},
): { command: string[] } {
  const program = `
const prompt = require('node:fs').readFileSync(0, 'utf8');
${before}
const [, nonce] = /"review": "([^"]+)"/.exec(prompt);
const questions = prompt.split('# Questions')[1].split('# Answer')[0].match(/^Question \\d+$/gm);
const refused = Object.entries(${JSON.stringify(refused)}).find(([word]) => prompt.includes('+' + word));
const answer = refused ? { verdict: 'reject', reasons: [refused[1]] } : ${JSON.stringify(otherwise)};
const answers = questions.map((_, at) => ({ question: at + 1, confidence: 0.9, reasons: [], ...answer }));
console.log('I read it.\\n' + JSON.stringify({ review: nonce, answers }));`;
  return { command: [process.execPath, '-e', program] };
}

/** A model's script that reads a file, then accepts: 1,100 tokens in, 14 out. */
export const acceptance = {
  name: 'review',
  when: '"review": "([^"]+)"',
  turns: [
    { do: [{ tool: 'read_file', input: { path: 'readme.txt' } }], usage: { input: 500, output: 5 } },
    {
      say: `{"review": "{{1}}", "answers": ${JSON.stringify([
        { question: 1, verdict: 'accept', confidence: 1, reasons: ['It says hello.'] },
      ])}}`,
      usage: { input: 600, output: 9 },
    },
  ],
};

/** An agent that writes this text into a file of the task's name, and the next one on the next attempt. */
export const writes = (key: string, ...texts: string[]) =>
  scripted({ attempts: texts.map((text) => [{ write: { [`${key}.txt`]: `${text}\n` } }]) });

/** Steps t0, t1 and so on side by side. */
export const reviewPlan = (steps: object[], more: object = {}) => ({
  name: 'reviewed',
  ...more,
  stages: [{ name: 'all', steps: steps.map((step, at) => ({ key: `t${at}`, title: `t${at}`, ...step })) }],
});

/** A repository whose work this agent reviews. */
export const routed = (agent: unknown, more: object = {}) => ({
  routing: { reviewer: { agent, timeout: 30_000, ...more } },
});

/** The task of a key. */
export async function taskOf(rig: Rig, runId: string, key = 't0') {
  const task = (await rig.tasks(runId)).get(key);
  if (task === undefined) throw new Error(`no task ${key}`);
  return task;
}

/** Waits until work of a run waits for a person. */
export const waiting = (rig: Rig, runId: string) =>
  until(async () => (await rig.store.approvals.list({ runId, status: 'waiting' }))[0], {
    what: 'work waits for a person',
    timeoutMs: 30_000,
  });
