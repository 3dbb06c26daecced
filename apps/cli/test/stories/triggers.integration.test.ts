import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';

import { createBatonClient } from '@baton/server/client';
import { makeApiKey } from '@baton/server';
import { until } from '@baton/testkit';
import { signWebhook } from '@baton/triggers';
import { systemIds } from '@baton/service/system';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';

import { readEnv } from '../../src/env.ts';
import { openProjectStore, type StoreAccess } from '../../src/project/open-store.ts';
import { openProject } from '../../src/project/project.ts';
import { createBench, type Bench } from '../support/bench.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Writes a file with the last line of its prompt; the second word of the task's title is the file's name. */
const program = `const fs = require('node:fs');
const { title } = JSON.parse(fs.readFileSync(process.env.BATON_TASK_FILE, 'utf8'));
fs.writeFileSync(title.split(' ')[1] + '.txt', fs.readFileSync(0, 'utf8').trimEnd().split('\\n').at(-1) + '\\n');`;

/** A plugin of the repository's own, asked in the worker. */
const doorman = `export const plugin = {
  name: 'doorman', version: '1.0.0', required: true, options: null, [Symbol.for('baton.plugin')]: true,
  setup: (api) => api.intercept('prompt:build', { onError: 'deny' }, ({ prompt }) => ({
    change: { prompt: prompt + '\\nmind the doorman' },
  })),
};`;

const files = {
  'readme.txt': 'hello\n',
  'plugins/doorman.mjs': doorman,
  'baton.yaml': stringify({
    gates: [{ name: 'readme', command: ['node', '-e', "require('node:fs').readFileSync('readme.txt')"] }],
    agents: { mend: { command: ['node', '-e', program] } },
    agent: 'mend',
    plugins: [
      { name: 'file-log' },
      { name: 'task-guard', options: { forbid: ['infra'] } },
      { name: './plugins/doorman.mjs' },
    ],
  }),
  'triggers.yaml': stringify({
    rules: [
      {
        name: 'deploy-failed',
        source: 'webhook',
        filters: { kind: 'deploy.failed' },
        trusted_senders: ['release-bot'],
        task: { title: 'Mend {{event.data.service}}', scope: 'small' },
      },
      {
        name: 'nightly',
        source: 'schedule',
        schedule: { cron: '* * * * *' },
        // A second tick during the story finds nothing left to do, which the signal proves.
        task: { title: 'Audit audit', scope: 'small', signals: [{ type: 'path_exists', path: 'audit.txt' }] },
      },
    ],
  }),
};

/** The store of a bench's project, beside the processes that work on it. */
async function storeOf(bench: Bench): Promise<StoreAccess> {
  const env = readEnv({
    PATH: process.env['PATH'],
    HOME: bench.home,
    BATON_HOME: bench.home,
    BATON_POSTGRES_KEEP_SECONDS: '0',
  });
  return openProjectStore({ env }, await openProject({ env, cwd: bench.repo.path }));
}

function readUrl(stdout: string): string | undefined {
  const lines = stdout.split('\n').filter((line) => line !== '');
  const ready = lines.map((line) => JSON.parse(line) as { name: string; url?: string });
  return ready.length === 2 ? ready.find(({ name }) => name === 'server')?.url : undefined;
}

/** What `docs/server.md` shows for a shell, block by block; the settings of the first are given. */
async function shownBlocks(): Promise<string[]> {
  const page = await readFile(path.join(import.meta.dirname, '../../../../docs/server.md'), 'utf8');
  return [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = '']) => block);
}

/** Runs a block and gives back what each call of curl printed; null where curl or openssl is not installed. */
async function runShown(block: string, settings: Record<string, string>): Promise<unknown[] | null> {
  const env = { PATH: process.env['PATH'] ?? '', ...settings };
  const run = promisify(execFile);
  const isThere = await run('sh', ['-c', 'command -v curl && command -v openssl'], { env }).catch(() => null);
  if (isThere === null) return null;
  const script = block.replaceAll(/^curl /gm, 'printf "\\n=\\n"; curl ');
  const { stdout } = await run('sh', ['-e', '-c', script], { env });
  return stdout.split('\n=\n').flatMap((text) => (text.trim() === '' ? [] : [JSON.parse(text) as unknown]));
}

test('a signed webhook and a schedule become landed work through `baton up`, under the repository’s gates and plugins', async () => {
  await using bench = await createBench(files);
  const secretFile = path.join(bench.home, 'secret.txt');
  await writeFile(secretFile, `${secret}\n`);
  await using access = await storeOf(bench);
  const { store } = access;
  const { key, ...kept } = makeApiKey();
  await store.keys.create({ id: systemIds.uuid(), name: 'tester', scopes: ['operator'], ...kept });
  // As if a server had looked a minute ago: one tick has passed since.
  await store.feed.setCursor('schedule:nightly:* * * * *:UTC', Date.now() - 60_000);
  const started = bench.start(['up', '--port', '0', '--json', '--webhook-secret-file', secretFile]);
  const url = await until(() => readUrl(started.stdout()), {
    what: `server and worker are ready; stderr: ${started.stderr()}`,
    timeoutMs: 60_000,
  });

  const body = JSON.stringify({ type: 'deploy.failed', sender: 'release-bot', service: 'api' });
  const send = async (headers: Record<string, string>) => {
    const response = await fetch(`${url}/webhooks/webhook`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
    return { status: response.status, answer: (await response.json()) as { taskIds?: string[] } };
  };
  const signed = signWebhook(body, { secret, id: 'msg-1', at: new Date() });
  expect((await send({})).status).toBe(401);
  const first = await send(signed);
  expect(first).toMatchObject({ status: 200, answer: { duplicate: false } });
  expect(await send(signed)).toMatchObject({
    status: 200,
    answer: { duplicate: true, taskIds: first.answer.taskIds },
  });

  const client = createBatonClient({ url, key });
  const closed = async (slug: string) => {
    const run = (await store.runs.list({})).items.find((item) => item.slug === slug);
    const tasks = run ? (await store.tasks.list({ runId: run.id })).items : [];
    return run && tasks.length > 0 && tasks.every(({ status }) => status === 'CLOSED')
      ? { run, tasks }
      : false;
  };
  const waiting = { timeoutMs: 60_000, what: `the triggered work landed; stderr: ${started.stderr()}` };
  const mended = await until(() => closed('trigger-deploy-failed'), waiting);
  const audited = await until(() => closed('trigger-nightly'), waiting);
  expect(mended.tasks.map(({ id, title }) => [id, title])).toEqual([[first.answer.taskIds?.[0], 'Mend api']]);
  expect(audited.tasks[0]?.source).toMatchObject({ kind: 'trigger', by: 'nightly' });
  for (const [{ run, tasks }, file] of [
    [mended, 'api.txt'],
    [audited, 'audit.txt'],
  ] as const) {
    expect(run.target).toBe(`baton/${run.slug}`);
    expect(await bench.repo.git('show', `${run.target}:${file}`)).toBe('mind the doorman');
    // The repository's gate judged what landed.
    const verdicts = await Promise.all(tasks.map(({ id }) => client.quality.verdicts.query({ taskId: id })));
    expect(JSON.stringify(verdicts)).toContain('"readme"');
  }

  // Plugins: refused by the guard, changed by the repository's own in the worker, seen by the log.
  const step = { title: 'Open the firewall', agent: 'mend', files: ['infra/net'] };
  const refused = client.plans.submit.mutate({
    plan: { name: 'open', stages: [{ name: 'all', steps: [step] }] },
    repo: { location: bench.repo.path, host: null },
  });
  await expect(refused).rejects.toThrow(/task-guard.*"infra" is forbidden/s);
  const log = path.join(bench.home, 'server/plugins/file-log/events.jsonl');
  const landedIds = [...mended.tasks, ...audited.tasks].map(({ id }) => id);
  await until(
    async () => {
      const lines = (await readFile(log, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
      const moves = lines.map((line) => JSON.parse(line) as { to: string; taskId: string });
      const seen = moves.filter(({ to }) => to === 'CLOSED').map(({ taskId }) => taskId);
      return landedIds.every((id) => seen.includes(id));
    },
    { what: 'the log has both landings' },
  );

  const listed = await bench.baton(['triggers', 'deliveries', '--json']);
  expect(JSON.parse(listed.stdout)).toMatchObject({
    deliveries: expect.arrayContaining([
      expect.objectContaining({ deliveryId: 'msg-1', kind: 'deploy.failed', tasks: [mended.tasks[0]?.key] }),
    ]),
  });

  // The lines of docs/server.md, as a person types them.
  const [, calls = '', signing = ''] = await shownBlocks();
  const called = await runShown(calls, { url, key });
  const sent = await runShown(signing, { url, secret });
  if (called === null || sent === null)
    console.error('curl or openssl is not installed: their lines were not run');
  else {
    const items = {
      result: { data: { items: expect.arrayContaining([expect.objectContaining({ id: mended.run.id })]) } },
    };
    expect(called).toMatchObject([
      items,
      { result: { data: { items: [] } } },
      [items, { result: {} }],
      { result: {} },
    ]);
    expect((await store.runs.get(mended.run.id))?.budgetMicroUsd).toBe(5_000_000);
    expect(sent).toMatchObject([
      {
        duplicate: false,
        taskIds: [expect.any(String)],
        rules: [
          { rule: 'deploy-failed', started: true },
          { rule: 'nightly', started: false, why: ['the rule is for schedule, the event is of webhook'] },
        ],
      },
    ]);
  }

  // As a person sends one.
  const bodyFile = path.join(bench.home, 'body.json');
  await writeFile(bodyFile, JSON.stringify({ service: 'shop' }));
  const sendSigned = async (signedWith: string, ...args: string[]) => {
    const words = ['triggers', 'send', bodyFile, '--webhook-secret-file', signedWith, '--url', url];
    const { exitCode, stdout, stderr } = await bench.call([...words, ...args, '--json']);
    return { exitCode, stderr, answer: JSON.parse(stdout) as Record<string, unknown> };
  };
  const sendBody = (...args: string[]) => sendSigned(secretFile, ...args);
  const event = ['--kind', 'deploy.failed', '--sender', 'release-bot', '--id', 'by-hand'];
  const byHand = await sendBody(...event);
  expect(byHand, byHand.stderr).toMatchObject({
    exitCode: 0,
    answer: { deliveryId: 'by-hand', duplicate: false, taskIds: [expect.any(String)] },
  });
  expect((await sendBody(...event)).answer).toEqual({
    ...byHand.answer,
    duplicate: true,
    rules: expect.any(Array),
  });
  expect((await sendBody('--kind', 'no.rule')).answer).toMatchObject({ taskIds: [] });
  const foreign = path.join(bench.home, 'foreign.txt');
  // The newest of two signs.
  await writeFile(foreign, `whsec_${Buffer.alloc(32, 8).toString('base64')}\n${secret}\n`);
  expect(await sendSigned(foreign)).toMatchObject({
    exitCode: 2,
    answer: { error: { code: 'SIGNATURE_INVALID' } },
  });

  started.child.kill('SIGINT');
  expect((await started.ended).exitCode).toBe(0);
  expect(await sendBody()).toMatchObject({ answer: { error: { code: 'SERVER_UNREACHABLE' } } });
});

test('an event that cannot be sent is refused with the place and the way out', async () => {
  await using bench = await createBench({
    'event.json': '{"service":"shop"}',
    'digits.json': '{"id":12345678901234567890}',
    'no.json': '[1]',
    'bad.json': '{',
  });
  const env = { BATON_WEBHOOK_SECRETS: secret };
  const moved = createServer((_, response) => response.writeHead(301, { location: '/elsewhere' }).end());
  await once(moved.listen(0, '127.0.0.1'), 'listening');
  const elsewhere = `http://127.0.0.1:${(moved.address() as AddressInfo).port}`;
  const call = (...args: string[]) => bench.call(['triggers', 'send', ...args], { env });
  for (const [args, said] of [
    [['there.json'], /there\.json cannot be read/],
    [['no.json'], /no\.json/],
    [['bad.json'], /bad\.json is not JSON/],
    [['event.json', '--url', 'localhost:7420'], /no address of a server.*http:\/\//s],
    [['event.json', '--webhook-secret-file', 'nowhere'], /nowhere cannot be read/],
    [['event.json', '--id', 'two\nlines'], /id of a delivery is not 1 to 200/],
    [['event.json', '--kind', 'deploy failed'], /A kind is 1 to 100.*--kind deploy\.failed/s],
    [['event.json', '--url', elsewhere], /is no Baton server: HTTP 301.*--url/s],
  ] as const) {
    const { exitCode, stderr } = await call(...args);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(said)]);
  }
  moved.close();
  const unsigned = await bench.call(['triggers', 'send', 'event.json']);
  expect(unsigned.stderr).toMatch(/no secret to sign.*BATON_WEBHOOK_SECRETS/s);
  const dry = await call('event.json', '--kind', 'deploy.failed', '--dry-run');
  expect(dry.stdout).toMatch(
    /^POST http:\/\/127\.0\.0\.1:7420\/webhooks\/webhook\n[^]*webhook-signature: v1,[^]*"type":"deploy\.failed"/,
  );
  expect((await call('digits.json', '--dry-run')).stdout).toContain('"id":"12345678901234567890"');
  const below = (depth: string) => ({ env: { ...env, BATON_CAUSE_RUN: 'r1', BATON_CAUSE_DEPTH: depth } });
  const words = ['triggers', 'send', 'event.json', '--dry-run'];
  expect((await bench.call(words, below('2'))).stdout).toContain('"baton":{"run_id":"r1","depth":2}');
  expect((await bench.call(words, below('two'))).stderr).toMatch(/BATON_CAUSE_RUN and BATON_CAUSE_DEPTH/);
});
