import { systemClock } from '@baton/service/system';
import { expect, test } from 'vitest';
import { nowhere, twoSteps } from './plans.ts';
import { createBench } from './support.ts';

const workerId = '0199c2d4-0000-7000-8000-000000000005';
const commit = 'a'.repeat(40);

test.each([1, -1])(
  'an agent at work and one that is silent look so to a server whose clock is off by %i h',
  async (hours) => {
    await using bench = await createBench();
    const clock = { ...systemClock, now: () => new Date(systemClock.now().getTime() + hours * 3_600_000) };
    const server = await bench.serve({}, { clock });
    const operator = await bench.client(server, 'operator');
    const worker = await bench.client(server, 'worker');
    const process = {
      host: 'elsewhere',
      pid: 7,
      pidStarted: '1',
      bootId: 'b',
      capacity: 1,
      version: '0.0.0',
    };
    await worker.workers.register.mutate({ id: workerId, name: 'far-away', ...process });
    const { run, tasks } = await operator.plans.submit.mutate({ plan: twoSteps(), repo: nowhere });
    await operator.plans.approve.mutate({ run: run.id, reason: 'go' });
    const taskId = tasks.find(({ key }) => key === 'format')?.id ?? '';
    const capabilities = { host: 'elsewhere', labels: [] };
    const claim = await worker.tasks.claim.mutate({ taskId, workerId, capabilities });
    const attempt = claim?.tasks[0]?.attempt;
    if (!claim || !attempt) throw new Error('not claimed');
    const held = { sessionId: claim.sessionId, holding: { attemptId: attempt.id, fence: attempt.fence } };
    const range = { baseCommit: commit, startCommit: commit };
    await worker.tasks.start.mutate({ ...held, ...range, adapter: 'x', workspace: '/somewhere' });
    const silent = async () => {
      await bench.database.sql(`UPDATE agent_session SET last_sign_at = now() - interval '10 minutes'`);
      return looks();
    };
    const looks = async () => {
      const sessions = await operator.agents.sessions.query({ runId: run.id });
      const stalls = await operator.observability.stalls.query({ run: run.id });
      return [...sessions.map(({ visual }) => visual), stalls.sessions.length];
    };
    expect(await looks()).toEqual(['RUNNING', 0]);
    expect(await silent()).toEqual(['STALLED', 1]);
    await worker.agents.heartbeat.mutate({ sessionId: claim.sessionId });
    expect(await looks()).toEqual(['RUNNING', 0]);
    expect(await silent()).toEqual(['STALLED', 1]);
  },
);
