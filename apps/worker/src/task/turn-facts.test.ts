import { describe, expect, it } from 'vitest';
import { createTurnFacts } from './turn-facts.ts';

const started = (toolId: string) => ({ type: 'tool_started' as const, toolId, title: toolId, kind: 'edit' });
const ended = (toolId: string) => ({ type: 'tool_completed' as const, toolId, failed: false });

describe('createTurnFacts', () => {
  it('moves the turn at the first start and the last end of parallel tool calls', () => {
    const turn = createTurnFacts();
    expect([started('a'), started('b'), ended('a'), ended('b')].map((event) => turn.of(event))).toEqual([
      ['tool_started'],
      [],
      [],
      ['tool_ended'],
    ]);
  });

  it('closes open tools before a compaction', () => {
    const turn = createTurnFacts();
    turn.of(started('a'));
    expect(turn.of({ type: 'compaction_started' })).toEqual(['tool_ended', 'compaction_started']);
    expect(turn.of(ended('a'))).toEqual([]);
    expect(turn.of({ type: 'compaction_ended' })).toEqual(['compaction_ended']);
  });

  it('closes what an agent left open when it says it is done', () => {
    const turn = createTurnFacts();
    turn.of(started('a'));
    expect(turn.close()).toEqual(['tool_ended']);
    expect(turn.close()).toEqual([]);
  });

  it('ignores the end of a tool that never started', () => {
    expect(createTurnFacts().of(ended('x'))).toEqual([]);
  });
});
