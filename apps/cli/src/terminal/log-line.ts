import type { AgentEvent } from '@baton/contracts';

import { formatUsd } from './format.ts';
import type { Colors } from './colors.ts';

/** One event of an agent's stream as a line (or several) for people. */
export function logLine(
  { key, event, at }: { key: string; event: AgentEvent; at: Date },
  colors: Colors,
): string {
  const head = `${colors.dim(at.toISOString().slice(11, 23))} ${colors.bold(key)} `;
  return describe(event, colors)
    .split('\n')
    .map((line) => `${head}${line}`)
    .join('\n');
}

function describe(event: AgentEvent, colors: Colors): string {
  switch (event.type) {
    case 'ready':
      return colors.cyan('ready');
    case 'message':
      return event.kind === 'assistant' || event.kind === 'stdout'
        ? event.text.trimEnd()
        : colors.dim(event.text.trimEnd());
    case 'tool_started':
      return `${colors.blue('→')} ${event.title}`;
    case 'tool_completed':
      return event.failed ? colors.red(`✘ ${event.output ?? 'the tool failed'}`) : colors.dim('✔ done');
    case 'permission_requested':
      return colors.yellow(`permission ${event.decision}: ${event.title}`);
    case 'usage':
      return colors.dim(
        `usage: ${event.usage.inputTokens} in, ${event.usage.cacheReadTokens + event.usage.cacheWriteTokens} cached, ${event.usage.outputTokens} out, ${event.usage.costMicroUsd === null ? 'priced by its tokens' : formatUsd(event.usage.costMicroUsd)}`,
      );
    case 'unmeasured':
      return colors.yellow(`spending not measured: ${event.reason}`);
    case 'plan':
      return event.entries.map((entry) => `${colors.dim('plan')} ${entry}`).join('\n');
    case 'compaction_started':
      return colors.dim('compacting its context');
    case 'compaction_ended':
      return colors.dim('context compacted');
    case 'rate_limited':
      return colors.yellow(
        `${event.provider} is rate-limited${event.resetAt === null ? '' : ` until ${event.resetAt}`}`,
      );
    case 'finished':
      return event.outcome === 'done'
        ? colors.green(['finished', event.summary].filter((part) => part !== '').join(': '))
        : colors.red(`${event.outcome}: ${event.summary}`);
  }
}
