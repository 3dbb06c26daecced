import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { signWebhook } from '@baton/triggers';
import { expect, test } from 'vitest';
import { nowhere, twoSteps } from './plans.ts';
import { createBench } from './support.ts';

const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;

test('while another program holds a table, each call has its answer within a limit and no effect, and works after', async () => {
  await using bench = await createBench();
  const triggersFile = path.join(bench.folder, 'triggers.yaml');
  await writeFile(triggersFile, 'rules: [{ name: any, source: webhook, task: { title: Look } }]');
  const server = await bench.serve(
    { triggersFile, repo: nowhere.location, webhookSecrets: [secret] },
    { lockMs: 300, turnMs: 500 },
  );
  const operator = await bench.client(server, 'operator');
  const send = async (id: string) => {
    const body = JSON.stringify({ type: 'deploy.failed' });
    const headers = signWebhook(body, { secret, id, at: new Date() });
    const answer = await fetch(`${server.url}/webhooks/webhook`, { method: 'POST', headers, body });
    const { error } = (await answer.json()) as { error?: { code: string } };
    return [answer.status, error?.code, answer.headers.has('retry-after')];
  };
  const submit = () => operator.plans.submit.mutate({ plan: twoSteps(), repo: nowhere });
  await bench.database.whileLocked('task', async () => {
    const failed = submit().then(
      () => 'done',
      (error: { data?: { httpStatus?: number } }) => error.data?.httpStatus,
    );
    const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => send(`msg-${index}`)));
    for (const answer of answers) expect(answer).toEqual([503, 'DATABASE_INTERRUPTED', true]);
    expect(await failed).toBe(503);
  });
  expect((await bench.store.audit.counts())['total']).toBe(0);
  expect(await send('msg-0')).toEqual([200, undefined, false]);
  await submit();
  expect((await bench.store.audit.counts())['total']).toBe(3);
});
