import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { until } from '@baton/testkit';
import { z } from 'zod';
import type { Place } from './place.ts';

const answer = z.object({ result: z.object({ data: z.unknown() }) });
const claimed = z.object({
  sessionId: z.string(),
  tasks: z.array(z.object({ attempt: z.object({ id: z.string(), fence: z.number() }) })),
});

/** Does the first task of the run as a worker that comes by HTTP: claim, commit, push to a branch, complete. */
export async function completeOverHttp(place: Place): Promise<void> {
  const server = place.start('server', { name: 'server', more: { BATON_PORT: '0' } });
  const url = await until(() => /"url":"(http[^"]+)"/.exec(server.output())?.[1], {
    what: 'the server is ready',
    timeoutMs: 60_000,
  });
  const key = `baton_${randomBytes(24).toString('hex')}`;
  const hash = createHash('sha256').update(key).digest('hex');
  const scopes = ['worker', 'operator', 'viewer'];
  await place.store.keys.create({
    id: hash.slice(0, 32),
    name: 'reach',
    hash,
    prefix: key.slice(0, 8),
    scopes,
  });
  const call = async (procedure: string, input: unknown): Promise<unknown> => {
    const sent = await fetch(`${url}/trpc/${procedure}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify(input),
    });
    const body: unknown = await sent.json();
    if (!sent.ok) throw new Error(`${procedure} answered ${sent.status}: ${JSON.stringify(body)}`);
    return answer.parse(body).result.data;
  };
  const [run] = (await place.store.runs.list({ limit: 1 })).items;
  const [task] = (await place.store.tasks.list({ runId: run?.id ?? '', limit: 1 })).items;
  if (task === undefined) throw new Error('there is no task');
  const capabilities = { host: hostname(), labels: [] };
  const claim = claimed.parse(
    await call('tasks.claim', {
      taskId: task.id,
      workerId: '0199c2d4-0000-7000-8000-00000000000a',
      capabilities,
    }),
  );
  const [first] = claim.tasks;
  if (first === undefined) throw new Error('nothing was claimed');
  const held = {
    sessionId: claim.sessionId,
    holding: { attemptId: first.attempt.id, fence: first.attempt.fence },
  };
  const { git } = place.repo;
  const start = await git('rev-parse', 'HEAD');
  await call('tasks.start', {
    ...held,
    adapter: 'by-hand',
    workspace: '/elsewhere',
    baseCommit: start,
    startCommit: start,
  });
  const head = await commitOf(place, { start, key: task.key });
  await git('push', '--quiet', place.remote, `${head}:refs/heads/by-http`);
  await call('tasks.complete', {
    ...held,
    baseCommit: start,
    startCommit: start,
    headCommit: head,
    summary: 'done',
  });
}

/** A commit on `start` with the file of the task, made on a branch of its own. */
async function commitOf(place: Place, { start, key }: { start: string; key: string }): Promise<string> {
  const { git } = place.repo;
  await git('checkout', '--quiet', '-b', 'by-http', start);
  const head = await place.repo.commit({ [`${key}.txt`]: `${key}\n` }, key);
  await git('checkout', '--quiet', 'main');
  return head;
}
