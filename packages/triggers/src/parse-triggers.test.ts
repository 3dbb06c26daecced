import { BatonError } from '@baton/contracts';
import { expect, test } from 'vitest';
import { parseTriggers } from './parse-triggers.ts';

const minimal = `rules:
  - name: fix-deploy
    source: webhook
    task: { title: Fix the deploy }
`;

function refusal(text: string): BatonError {
  try {
    parseTriggers(text, { file: 'triggers.yaml' });
  } catch (error) {
    if (BatonError.is(error, 'CONFIG_INVALID')) return error;
    throw error;
  }
  throw new Error('the file was accepted');
}

test('a small rule gets its defaults', () => {
  const [rule] = parseTriggers(minimal, { file: 'triggers.yaml' }).rules;
  expect(rule).toMatchObject({
    name: 'fix-deploy',
    enabled: true,
    plan: 'approve',
    filters: { fields: {} },
    conditions: { max_depth: 3 },
    task: { title: 'Fix the deploy', role: 'backend', scope: 'medium', priority: 2, max_retries: 3 },
  });
});

test('an empty file holds no rules', () => {
  expect(parseTriggers('', { file: 'triggers.yaml' }).rules).toEqual([]);
});

test('durations, single patterns and money are normalised', () => {
  const text = `${minimal}    filters: { kind: "deploy.*" }
    rate_limit: { max: 2, per: 1h }
    conditions: { cooldown: 90s }
`;
  expect(parseTriggers(text, { file: 'triggers.yaml' }).rules[0]).toMatchObject({
    filters: { kind: ['deploy.*'] },
    rate_limit: { max: 2, per: 3_600_000 },
    conditions: { cooldown: 90_000 },
  });
});

test('a kind that no event can have is refused with the sign that none holds', () => {
  const asked = (kind: string) => `${minimal}    filters: { kind: ${kind} }\n`;
  expect(refusal(asked('"deploy failed"')).message).toContain(
    'triggers.yaml:5:16 rules.0.filters.kind: "deploy failed" matches no kind: kinds hold letters, digits, "_", "." and "-", and this has " "',
  );
  expect(refusal(asked('[push, "pull_request:opened"]')).message).toContain('and this has ":"');
  const working = ['"deploy.*"', '"{push,issues}"', '["!ping", "**"]', '"deploy/**"', '"**/deploy"'];
  for (const kind of [...working, '"deploy.(failed|late)"', '"./deploy"'])
    expect(parseTriggers(asked(kind), { file: 'triggers.yaml' }).rules).toHaveLength(1);
});

test('an unknown key is refused by name, at its line and column', () => {
  const error = refusal(`${minimal}    taks: 1\n`);
  expect(error.message).toContain('triggers.yaml:5:5 rules.0.taks: unknown key "taks"');
  expect(error.at).toBe('triggers.yaml:5:5');
  expect(error.details).toMatchObject({ issues: [{ line: 5, column: 5 }] });
});

test('an unknown key deep inside is found where it is', () => {
  expect(refusal(minimal.replace('{ title:', '{ titel: x, title:')).message).toContain(
    'triggers.yaml:4:13 rules.0.task.titel',
  );
});

test('what is missing is reported at the thing that lacks it', () => {
  expect(refusal('rules:\n  - name: a\n    source: webhook\n').message).toContain(
    'triggers.yaml:2:5 rules.0.task',
  );
});

test('broken YAML is reported with line and column', () => {
  expect(refusal('rules:\n  - name: "a\n').message).toMatch(/triggers\.yaml:\d+:\d+ /);
  expect(refusal('rules: []\nrules: []\n').message).toContain('triggers.yaml:2:1');
});

test('a file whose aliases unfold without end is refused', () => {
  const text = `a: &a [1,1,1,1,1,1,1,1]\nb: &b [${Array(9).fill('*a')}]\nc: &c [${Array(9).fill('*b')}]\nrules: [${Array(9).fill('*c')}]`;
  expect(refusal(text).message).toContain('too many aliases');
});

test('two rules of one name are refused', () => {
  const error = refusal(minimal + minimal.replace('rules:\n', ''));
  expect(error.message).toContain('triggers.yaml:5:5 rules.1.name: a second rule is called "fix-deploy"');
});

test.each([
  ['files: ["src/{{event.data.path}}"]', 'rules.0.task.files.0'],
  ['agent: { command: [sh, "-c", "{{event.data.x}}"] }', 'rules.0.task.agent.command.2'],
  ['signals: [{ type: path_exists, path: "{{event.data.p}}" }]', 'rules.0.task.signals.0.path'],
  ['role: "{{event.kind}}"', 'rules.0.task.role'],
])('a field of an event never becomes a path or a command: %s', (line, path) => {
  const error = refusal(minimal.replace('Fix the deploy }', `Fix, ${line} }`));
  expect(error.message).toContain(path);
  expect(error.message).toContain('title and goal only');
});

test.each(['{{data.x}}', '{{event.secret}}', '{{ event.data }}', '{{event.kind', 'a }} b'])(
  'a template that names no field is refused: %s',
  (title) => {
    expect(refusal(minimal.replace('Fix the deploy', JSON.stringify(title))).message).toContain(
      'rules.0.task.title',
    );
  },
);

test.each([
  ['61 * * * *', 'UTC', 'schedule.cron'],
  ['* * * * * *', 'UTC', 'schedule.cron'],
  ['0 0 30 2 *', 'UTC', 'never comes'],
  ['2026-12-01T00:00:00', 'UTC', 'five fields'],
  ['@daily', 'UTC', 'five fields'],
  ['0 3 * *', 'UTC', 'five fields'],
  ['0 3 * * *', 'Mars/Olympus', 'schedule.timezone'],
  ['0 3 * * *', '', 'schedule.timezone: "" is no time zone'],
])('a schedule of "%s" in %s is refused', (cron, timezone, word) => {
  const text = `rules:
  - name: nightly
    source: schedule
    schedule: { cron: "${cron}", timezone: "${timezone}" }
    task: { title: Audit }
`;
  expect(refusal(text).message).toContain(word);
});

test('a rule for webhooks has no schedule', () => {
  expect(refusal(`${minimal}    schedule: { cron: "0 3 * * *" }\n`).message).toContain(
    'unknown key "schedule"',
  );
});

test.each(['! push', '!', '! "push"', '[a, ! push]'])(
  'the sign of a tag alone is refused as well: %s',
  (kind) => {
    expect(refusal(`${minimal}    filters: { kind: ${kind} }\n`).message).toContain(
      'as a tag: put the whole value in quotes',
    );
  },
);

test.each([
  ['!push', 'a tag'],
  ['[!push, "*"]', 'a tag'],
  ['*.opened', 'a reference to an anchor'],
  ['[deploy, *.opened]', 'a reference to an anchor'],
])(
  'the pattern %s without quotes is refused with its place, since YAML would read another one',
  (kind, what) => {
    const { message } = refusal(`${minimal}    filters: { kind: ${kind} }\n`);
    expect(message).toMatch(/^ *triggers\.yaml:5:\d+ /m);
    expect(message).toContain(`as ${what}: put the whole value in quotes`);
    const quoted = kind.replaceAll(/[!*][\w.]+/g, (text) => `'${text}'`);
    expect(
      parseTriggers(`${minimal}    filters: { kind: ${quoted} }\n`, { file: 'triggers.yaml' }).rules,
    ).toHaveLength(1);
  },
);

test.each([
  ['rules: [{ name: a', 'triggers.yaml:1:9 the "{" here is never closed: add a "}"'],
  ['rules:\n\t- name: a', 'triggers.yaml:2:1 a tab is used for indentation: use spaces'],
  ['rules: []\n---\nrules: []', 'a second document begins here'],
])('a mistake of syntax is reported in plain words: %s', (text, words) => {
  expect(refusal(text).message).toContain(words);
});

test('a filter by a field that no map can hold is refused, and not left out', () => {
  const error = refusal(`${minimal}    filters: { fields: { __proto__: x } }\n`);
  expect(error.message).toContain('triggers.yaml:5:26 no key may be called "__proto__"');
});
