/** What an agent of the Agent Client Protocol says at work: seven of ten lines are pieces of text, the others tools and its spending. */
export function lineOf(at: number): string {
  const update = updateOf(at);
  return `${JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update } })}\n`;
}

function updateOf(at: number): object {
  const text = `Piece ${at} of what the agent says while it looks at the code and thinks about it. `;
  const toolCallId = `call-${Math.floor(at / 10)}`;
  switch (at % 10) {
    case 7:
      return {
        sessionUpdate: 'tool_call',
        toolCallId,
        title: `Read ${at}`,
        kind: 'read',
        status: 'pending',
        rawInput: { at },
      };
    case 8:
      return {
        sessionUpdate: 'tool_call_update',
        toolCallId,
        status: 'completed',
        content: [{ type: 'content', content: { type: 'text', text } }],
      };
    case 9:
      return {
        sessionUpdate: 'usage_update',
        used: at * 10,
        size: 200_000,
        cost: { amount: at / 1_000, currency: 'USD' },
      };
    default:
      return { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
  }
}

/** How many of so many lines are pieces of text. */
export function textPieces(lines: number): number {
  return Math.floor(lines / 10) * 7 + Math.min(lines % 10, 7);
}
