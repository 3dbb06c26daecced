import { appendFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/*
 * An agent of the Agent Client Protocol that spends and tells as its script says, and keeps a ledger of what it really spent:
 * `node agent.mjs LEDGER KEY SCRIPT`, where the script is JSON.
 */
const [, , ledger, key, script] = process.argv;
const steps = JSON.parse(script);
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const update = (value, sessionId = 's') =>
  say({ method: 'session/update', params: { sessionId, update: value } });
const tell = (cost, session) => update({ sessionUpdate: 'usage_update', used: 1, size: 9, cost }, session);
const answers = {
  initialize: { protocolVersion: 1, agentInfo: { name: 'spender' } },
  'session/new': { sessionId: 's' },
};
let cancelled = false;
let heedless = false;

async function play() {
  let usage;
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'At work.' } });
  // With a tool call a later death counts as one in the middle of its work, not as a failed start.
  const call = { toolCallId: 'c', title: 'spend', kind: 'other' };
  update({ sessionUpdate: 'tool_call', ...call, status: 'in_progress' });
  update({ sessionUpdate: 'tool_call_update', ...call, status: 'completed' });
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Done.' } });
  for (const step of steps) {
    if (cancelled && !heedless) break;
    if ('heedless' in step) heedless = true;
    if ('spend' in step) appendFileSync(ledger, `${key} ${step.spend} ${Date.now()}\n`);
    if ('tell' in step) tell(step.tell, step.session);
    if ('raw' in step) process.stdout.write(`${step.raw}\n`);
    if ('waitMs' in step) await new Promise((resolve) => setTimeout(resolve, step.waitMs));
    if ('usage' in step) usage = step.usage;
    if ('late' in step) setTimeout(() => tell(step.late), 60);
    if ('die' in step) process.kill(process.pid, 'SIGKILL');
  }
  if (!cancelled) writeFileSync(`${key}.txt`, 'done\n');
  return { stopReason: cancelled ? 'cancelled' : 'end_turn', ...(usage === undefined ? {} : { usage }) };
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (method === 'session/cancel') cancelled = true;
    if (id === undefined) return;
    if (method === 'session/prompt') return void play().then((result) => say({ id, result }));
    say({ id, result: answers[method] ?? {} });
  })
  .on('close', () => heedless || process.exit(0));
