import { describe, expect, it } from 'vitest';
import { decideReport, type TaskEnd } from './report.ts';

const holding = { attemptId: 'a1', fence: 3 };
const range = { baseCommit: 'b', startCommit: 's', headCommit: 'h' };
const parkUntil = new Date('2026-01-01T00:01:00Z');

function end(over: Partial<TaskEnd['finished']>, rest: Partial<TaskEnd> = {}): TaskEnd {
  const finished = {
    type: 'finished' as const,
    outcome: 'done' as const,
    summary: 'did it',
    exitCode: 0,
    abortReason: null,
    resetAt: null,
    ...over,
  };
  return {
    holding,
    sessionId: 's1',
    finished,
    stopped: null,
    abortReason: null,
    spawned: false,
    overspent: { maxCost: false, cap: false },
    range: null,
    salvageRef: null,
    parkUntil,
    other: null,
    ...rest,
  };
}

describe('decideReport', () => {
  it('reports finished work with its commit range and lets the batch continue', () => {
    expect(decideReport(end({}, { range }))).toEqual({
      fact: { fact: 'done', holding, ...range, summary: 'did it' },
      goesOn: true,
      withdrawn: null,
    });
  });

  it('calls work that could not be committed a failure, never done', () => {
    expect(decideReport(end({})).fact).toMatchObject({ fact: 'agent_failed', outcome: 'agent_failed' });
  });

  it('says nothing for an attempt whose lease is lost', () => {
    expect(decideReport(end({}, { stopped: 'lease_lost', range })).fact).toBeNull();
  });

  it('gives a task back at shutdown and names its salvage', () => {
    const report = decideReport(
      end({ outcome: 'cancelled' }, { stopped: 'shutdown', salvageRef: 'refs/baton/salvage/t/3' }),
    );
    expect(report.fact).toMatchObject({ fact: 'released', salvageRef: 'refs/baton/salvage/t/3' });
    expect(report.goesOn).toBe(false);
  });

  it('continues with the next task after the agent said that one failed', () => {
    expect(decideReport(end({ outcome: 'failed', summary: 'exit 2' }))).toMatchObject({
      fact: { fact: 'agent_failed', reason: 'exit 2' },
      goesOn: true,
    });
  });

  it('parks a rate-limited task until the reset that the provider named', () => {
    expect(
      decideReport(end({ outcome: 'rate_limited', resetAt: '2026-01-01T05:00:00.000Z' })).fact,
    ).toMatchObject({
      fact: 'released',
      notBefore: new Date('2026-01-01T05:00:00Z'),
    });
    const reason = 'You have hit your 5-hour limit';
    expect(decideReport(end({ outcome: 'rate_limited', summary: reason })).fact).toEqual({
      fact: 'released',
      because: 'parked',
      holding,
      reason,
    });
  });

  it('does not make a task wait for the reset where another agent would be chosen', () => {
    const limited = {
      ...end({ outcome: 'rate_limited', resetAt: '2026-01-01T05:00:00.000Z' }),
      other: 'codex',
    };
    expect(decideReport(limited).fact).not.toHaveProperty('notBefore');
  });

  it('gives a task back when its provider fails, which is no failure of the work', () => {
    expect(decideReport(end({ outcome: 'provider_down', summary: '503' }))).toMatchObject({
      fact: { fact: 'released', because: 'provider_down', reason: '503' },
      goesOn: false,
      withdrawn: null,
    });
  });

  it('withdraws an agent that is not installed or not logged in', () => {
    expect(
      decideReport(end({ outcome: 'missing_binary', exitCode: 127, summary: 'no such program' })).withdrawn,
    ).toBe('no such program');
    expect(decideReport(end({ outcome: 'not_logged_in', exitCode: null, summary: 'log in' })).withdrawn).toBe(
      'log in',
    );
  });

  it('fails a task whose model the agent does not know, without counting a try or withdrawing the agent', () => {
    const report = decideReport(
      end({ outcome: 'model_unknown', exitCode: null, summary: 'It knows: a, b.' }),
    );
    const reason = 'MODEL_UNKNOWN: It knows: a, b.';
    expect(report).toMatchObject({
      fact: { fact: 'agent_failed', outcome: 'spawn_failed', reason, denied: reason },
      withdrawn: null,
    });
  });

  it('reports a dead process for the whole session', () => {
    expect(decideReport(end({ outcome: 'crashed', exitCode: null, abortReason: 'oom' })).fact).toMatchObject({
      fact: 'process_died',
      sessionId: 's1',
      abortReason: 'oom',
    });
  });

  it('distinguishes an agent that died of itself from one that was ended', () => {
    const died = { exitCode: 143, abortReason: 'shutdown_signal' } as const;
    expect(decideReport(end({ outcome: 'crashed', ...died })).fact).toMatchObject({ ofItself: true });
    expect(decideReport(end({ outcome: 'cancelled', ...died })).fact).toMatchObject({ ofItself: false });
  });

  it('takes exit code 127 of a program that did start as a failure of its task, not as the end of the run', () => {
    const report = decideReport(
      end({ outcome: 'missing_binary', exitCode: 127, summary: 'exit code 127' }, { spawned: true }),
    );
    expect(report).toMatchObject({
      fact: { fact: 'agent_failed', reason: 'exit code 127' },
      goesOn: true,
      withdrawn: null,
    });
  });

  it.each([
    [
      'sibling_aborted',
      { fact: 'released', transitionReason: 'sibling_aborted', abortReason: 'sibling_aborted' },
    ],
    ['parent_aborted', { fact: 'released', transitionReason: 'aborted', abortReason: 'parent_aborted' }],
    ['bash_error', { fact: 'agent_failed', transitionReason: 'aborted', abortReason: 'bash_error' }],
  ] as const)('reports a task whose session the abort chain ended by %s', (abortReason, fact) => {
    const report = decideReport(
      end({ outcome: 'cancelled', abortReason }, { stopped: 'abort', abortReason }),
    );
    expect(report).toMatchObject({ fact, goesOn: false });
  });

  it.each([
    ['prompt_too_long', { outcome: 'failed', transitionReason: 'prompt_too_long' }],
    ['max_turns', { outcome: 'failed', transitionReason: 'max_turns' }],
    ['permission_denied', { outcome: 'failed', abortReason: 'permission_denied', exitCode: 126 }],
  ] as const)('passes on that a task failed by %s', (transitionReason, finished) => {
    expect(decideReport(end(finished)).fact).toMatchObject({ fact: 'agent_failed', transitionReason });
  });

  it('says of a vetoed task that leave was denied', () => {
    expect(
      decideReport(end({ outcome: 'cancelled', summary: 'no' }, { stopped: 'veto' })).fact,
    ).toMatchObject({
      fact: 'released',
      transitionReason: 'permission_denied',
    });
  });
});
