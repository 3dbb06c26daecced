import type { Ran } from '../../run-program.ts';

/** Where a situation is played: a repository, an agent that is there, and a model that does as it is told. */
export interface Stage {
  agent: string;
  /** Names of its models, and whether they have a price. */
  models: readonly { name: string; isPriced: boolean }[];
  /** Runs `baton` in the repository. */
  baton(...args: string[]): Promise<Ran>;
  git(...args: string[]): Promise<string>;
  /** Writes files into the checkout. */
  write(files: Record<string, string>): Promise<void>;
  /** What the model does from now on. */
  model(script: unknown): void;
}

/** Something that happens to people with an agent, and what should come of it. */
export interface Situation {
  name: string;
  /** Gives what is not as it should be; null: all is. */
  play(stage: Stage): Promise<string | null>;
}

const usage = { input: 1_200, output: 40 };
const side = 'Title';
const write = (file: string, content: string) => ({ do: 'write', path: `{{cwd}}/${file}`, content });
const does = (...turns: unknown[]) => ({ side, scripts: [{ name: 'all', turns }] });
const writesFile = (file: string, content = 'hello\n') =>
  does({ say: 'I write it.', do: [write(file, content)], usage }, { say: `${file} is written.`, usage });
const refused = does({ error: { status: 401, message: 'invalid api key' } });

const ended = (ran: Ran, exitCode: number, ...says: RegExp[]): string | null => {
  const text = `${ran.stdout}${ran.stderr}`;
  const missing = says.filter((pattern) => !pattern.test(text)).map(({ source }) => `does not say ${source}`);
  const problems = [
    ...(ran.exitCode === exitCode ? [] : [`ends with ${ran.exitCode}, not ${exitCode}`]),
    ...missing,
  ];
  return problems.length === 0 ? null : `${problems.join('; ')}:\n${text.trimEnd()}`;
};

const goal = (stage: Stage, file: string, ...more: string[]) =>
  stage.baton('run', `write the file ${file}`, '--agent', stage.agent, '--yes', ...more);

/** A wrong key is told, at the latest, after this. */
const toldWithinMs = 60_000;

const weakerTest = `import { test } from 'node:test';

test.skip('adds', () => {});
`;

/** What happens in anybody's first days, in the order in which it is played. */
export const situations: readonly Situation[] = [
  {
    name: 'success',
    async play(stage) {
      stage.model(writesFile('hello.txt'));
      const ran = await goal(stage, 'hello.txt');
      return (
        ended(ran, 0, /1 of 1 task landed/, new RegExp(stage.agent)) ?? (await isMerged(stage, 'hello.txt'))
      );
    },
  },
  {
    name: 'wrong key, then right key',
    async play(stage) {
      stage.model(refused);
      const wrong = await goal(stage, 'key.txt');
      const text = `${wrong.stdout}${wrong.stderr}`;
      if (wrong.exitCode === 0) return `the run does not fail:\n${text}`;
      if (wrong.durationMs > toldWithinMs)
        return `told after ${Math.round(wrong.durationMs / 1_000)} s only:\n${text}`;
      if (!text.includes('baton run --resume')) return `does not say how to carry on:\n${text}`;
      stage.model(writesFile('key.txt'));
      return ended(await stage.baton('run', '--resume'), 0, /1 of 1 task landed/);
    },
  },
  {
    name: 'a model by its short name and by its id, within a budget',
    async play(stage) {
      for (const [at, { name, isPriced }] of stage.models.entries()) {
        stage.model(writesFile(`model-${at}.txt`));
        const ran = await goal(
          stage,
          `model-${at}.txt`,
          '--model',
          name,
          ...(isPriced ? ['--budget', '5'] : []),
        );
        const problem = ended(ran, 0, /1 of 1 task landed/);
        if (problem !== null) return `${name} ${problem}`;
      }
      return null;
    },
  },
  {
    name: 'nothing changed',
    async play(stage) {
      stage.model(does({ say: 'There is nothing to do.', usage }));
      return ended(await goal(stage, 'nothing.txt', '--max-retries', '0'), 1, /nothing changed/i);
    },
  },
  {
    name: 'tests weakened',
    async play(stage) {
      stage.model(
        does(
          {
            say: 'I make the tests pass.',
            do: [write('test/add.test.js', weakerTest), write('weak.txt', 'x\n')],
            usage,
          },
          { say: 'All tests pass.', usage },
        ),
      );
      return (
        ended(await goal(stage, 'weak.txt'), 3, /weak|skip/i) ??
        ended(await stage.baton('approve'), 0, /test/i) ??
        ended(await stage.baton('reject', 'write-the-file-weak-txt'), 0)
      );
    },
  },
  {
    name: 'a question, answered',
    async play(stage) {
      stage.model(does({ say: 'I looked around. Shall it be formal or informal?', usage }));
      const asked = await goal(stage, 'asked.txt', '--max-retries', '0');
      const task = 'write-the-file-asked-txt';
      const problem = ended(asked, 1) ?? ended(await stage.baton('status'), 0, /formal or informal\?/);
      if (problem !== null) return problem;
      const help = await stage.baton('retry', '--help');
      const words = help.stdout.includes('--say') ? ['--say', 'Informal, please.'] : [];
      stage.model({
        side,
        scripts: [
          { name: 'answered', when: words.at(-1) ?? '.', turns: writesFile('asked.txt').scripts[0]?.turns },
        ],
      });
      return (
        ended(await stage.baton('retry', task, ...words), 0) ??
        ended(await stage.baton('run', '--resume'), 0, /1 of 1 task landed/)
      );
    },
  },
  {
    name: 'a change that it reviews, refused and then accepted',
    async play(stage) {
      stage.model(reviewing);
      const steps = [{ key: 'read', title: 'read', agent: { command: ['node', '-e', author] } }];
      const routing = { reviewer: { agent: stage.agent } };
      await stage.write({
        'baton.yaml': JSON.stringify({ routing }),
        'read.yaml': JSON.stringify({ name: 'read', stages: [{ name: 'all', steps }] }),
      });
      return (
        ended(await stage.baton('run', 'read.yaml'), 0, /1 of 1 task landed/) ??
        ended(await stage.baton('task', 'read'), 0, /accepted by/, /read\.txt:1: write smooth/)
      );
    },
  },
];

/** Writes "rough", and after a refusal what the reviewer asks for. */
const author = `const fs = require('node:fs');
const { rejections } = JSON.parse(fs.readFileSync(process.env.BATON_TASK_FILE, 'utf8'));
fs.writeFileSync('read.txt', rejections.join().includes('write smooth') ? 'smooth\\n' : 'rough\\n');`;

/** A model that refuses what is rough, and accepts anything else; `{{1}}` is what marks its answer. */
const reviewing = {
  side,
  scripts: [
    {
      name: 'no',
      when: '\\+rough[^]*"review": "([^"]+)"',
      ...answering('reject', ['read.txt:1: write smooth']),
    },
    { name: 'yes', when: '"review": "([^"]+)"', ...answering('accept', []) },
  ],
};

function answering(verdict: string, reasons: string[]) {
  const answers = [{ question: 1, verdict, confidence: 1, reasons }];
  return { turns: [{ say: `{"review": "{{1}}", "answers": ${JSON.stringify(answers)}}`, usage }] };
}

async function isMerged(stage: Stage, file: string): Promise<string | null> {
  const merged = ended(await stage.baton('merge'), 0);
  if (merged !== null) return merged;
  return (await stage.git('ls-files', file)).trim() === file ? null : `${file} is not there after the merge`;
}
