import { expect, it } from 'vitest';
import { by, draft } from './support/builders.ts';
import { head, holding } from './support/flow.ts';
import { testStore } from './support/store.ts';

const held = testStore();
const outside = { source: { kind: 'trigger', by: 'rule', trusted: true } } as const;

/** A run of one task that an agent says is done. */
async function finished(location: string): Promise<string> {
  const repo = { location, host: 'here' };
  const { runId } = await held.flow.open([draft('a', outside)], { repo, trust: 'enforce' });
  const claim = await held.flow.claim(runId);
  const process = { pid: 1, pidStarted: '1', workspace: '/w', deadlineAt: null };
  const route = { agent: 'mason', model: 'm1' };
  const holdings = [holding(claim)];
  await held.flow.tell({ fact: 'launched', holdings, adapter: 'acp', model: 'm1', ...process, route });
  await held.flow.ready(claim);
  await held.flow.done(claim);
  await held.flow.over(claim);
  return runId;
}

/** Asks a person, who says so. */
async function decided(runId: string, approve: boolean): Promise<void> {
  const { attempt } = await held.flow.take(runId);
  const mine = { attemptId: attempt.id, fence: attempt.fence };
  const wanted = { reason: 'no record', headCommit: head, patchId: 'p' };
  await held.flow.tell({ fact: 'approval_wanted', holding: mine, ...wanted });
  const [approval] = await held.store.approvals.list({ runId });
  const reason = approve ? {} : { reason: 'it weakens a test' };
  const word = { ...by, ...reason, approve, nonce: approval?.nonce ?? '' };
  await held.store.approvals.decide(approval?.id ?? '', word);
  if (approve) await held.flow.land(await held.flow.take(runId));
}

it('lets trust that was lost be earned again by what landed after it', async () => {
  const levels: string[] = [];
  for (const approve of [true, true, true, false, true, true, null]) {
    const runId = await finished('/lost-and-earned');
    const { attempt } = await held.flow.take(runId);
    levels.push((await held.store.trust.of(attempt.id, 'land')).level);
    if (approve !== null) await decided(runId, approve);
  }
  expect(levels).toEqual([
    ...['UNTRUSTED', 'PROBATIONARY', 'PROBATIONARY', 'TRUSTED'],
    ...['PROBATIONARY', 'PROBATIONARY', 'TRUSTED'],
  ]);
});

it('returns how long agents worked on what landed', async () => {
  const runId = await finished('/durations');
  await decided(runId, true);
  const run = await held.store.runs.get(runId);
  const past = await held.store.trust.pastDurations({
    repoId: run?.repoId ?? '',
    role: 'backend',
    scope: 'small',
  });
  expect(past).toMatchObject([{ agent: 'mason', model: 'm1' }]);
  expect(past[0]?.durationMs).toBeGreaterThan(0);
});
