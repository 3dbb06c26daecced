import { hostname } from 'node:os';

import { createBatonClient } from '@baton/server/client';
import { until } from '@baton/testkit';
import { expect, test } from 'vitest';

import type { Started } from '../support/bench.ts';
import { isOpen, openHubWorld, patience } from '../support/hub-world.ts';
import { writes } from '../support/plans.ts';

interface Ready {
  name: string;
  url?: string;
}

const step = (key: string) => ({ key, title: `Write ${key}`, agent: writes(`${key}.txt`, '1\n') });
const planOf = (more: object) => ({
  ...{ name: 'served', landing: 'pull_request' as const, target: 'main' },
  stages: [{ name: 'all', steps: [step('one'), step('two')] }],
  ...more,
});

function serverUrl(started: Started): string | undefined {
  const lines = started.stdout().split('\n').filter(Boolean);
  const ready = lines.map((line) => JSON.parse(line) as Ready);
  return ready.length === 3 ? ready.find(({ name }) => name === 'server')?.url : undefined;
}

test(
  'workers of a server open pull requests for a plan that was submitted there, from what the remote has and the checkout has not',
  { tags: ['long'] },
  async () => {
    await using world = await openHubWorld({});
    const { bench, hub, call, env } = world;
    const created = await call('keys', 'create', 'tester', '--scope', 'operator', '--json');
    const { key } = JSON.parse(created.stdout) as { key: string };
    const ahead = await hub.commit({ 'pushed.txt': 'by somebody\n' });
    const started = bench.start(['up', '--port', '0', '--workers', '2', '--json'], { env });
    const url = await until(() => serverUrl(started), {
      what: `server and workers are ready; stderr: ${started.stderr()}`,
      timeoutMs: 120_000,
    });
    const client = createBatonClient({ url, key });
    const repo = { location: bench.repo.path, host: hostname() };
    const submit = (more: object, place: { location: string; host: string | null } = repo) =>
      client.plans.submit.mutate({ plan: planOf(more), repo: place });
    await expect(submit({}, { location: 'https://example.invalid/a.git', host: null })).rejects.toThrow(
      /landing: pull requests are opened from a checkout, and https:\/\/example\.invalid\/a\.git is a URL/,
    );
    await expect(submit({ target: undefined })).rejects.toThrow(/target: it does not say which branch/);

    const { run } = await submit({});
    await client.plans.approve.mutate({ run: run.id, reason: 'tested' });
    const first = await hub.sees(isOpen('one'));
    const second = await hub.sees(isOpen('two'));
    expect([first.base, second.base]).toEqual(['main', 'main']);
    expect((await client.runs.get.query({ run: run.id })).baseCommit).toBe(ahead);
    await expect
      .poll(
        async () => JSON.parse((await call('explain', `${run.slug}/two`, '--json')).stdout) as object,
        patience,
      )
      .toMatchObject({ cause: 'pull_request_open' });
    await hub.merge(first.number, 'squash');
    await hub.merge(second.number, 'merge');
    await until(async () => (await client.runs.get.query({ run: run.id })).status === 'done', {
      what: 'the run is done',
      timeoutMs: 120_000,
    });
    expect(hub.requests()).toHaveLength(2);
    expect(await bench.repo.git('show', `${run.target}:two.txt`)).toBe('1');

    const nowhere = await submit({ name: 'nowhere', target: 'gone' });
    await client.plans.approve.mutate({ run: nowhere.run.id, reason: 'tested' });
    const held = await until(
      async () => {
        const seen = await client.runs.get.query({ run: nowhere.run.id });
        return seen.status === 'paused' ? seen : undefined;
      },
      { what: 'the run without a branch is held', timeoutMs: 60_000 },
    );
    expect(held.statusReason).toContain('origin has no branch gone');
    started.child.kill('SIGINT');
    expect((await started.ended).exitCode).toBe(0);
  },
);
