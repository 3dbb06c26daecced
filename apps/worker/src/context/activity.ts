import { printableLine, type AgentEvent } from '@baton/contracts';

/** What is shown of a tool's title. */
const maxLength = 160;
const providerRetry = /\battempt (\d+) of (\d+)\b/i;

/** What an agent does now, in a few words. */
export interface Activity {
  text: string;
  /** Worth a write of its own; else it goes with the next sign of life. */
  urgent: boolean;
}

/** Reads from an agent's events what it does now: its tool, that it thinks, that its provider is asked again. Null: as before. */
export function createActivity(): (event: AgentEvent) => Activity | null {
  let last = '';
  const say = (text: string, urgent: boolean): Activity | null => {
    if (text === last) return null;
    last = text;
    return { text, urgent };
  };
  return (event) => {
    switch (event.type) {
      case 'tool_started':
        return say(`→ ${shown(event.title)}`, true);
      case 'tool_completed':
        return say('thinking', false);
      case 'message':
        return ofMessage(event, { last, say });
      case 'rate_limited':
        return say(/^retry \d+\/\d+$/.test(last) ? `${last} (rate limit)` : 'rate-limited', true);
      case 'permission_requested':
        return event.decision === 'pending' ? say(`asks: ${shown(event.title)}`, true) : null;
      case 'compaction_started':
        return say('compacting its context', true);
      case 'compaction_ended':
      case 'ready':
        return say('thinking', false);
      case 'usage':
      case 'unmeasured':
      case 'plan':
      case 'finished':
        return null;
    }
  };
}

function ofMessage(
  { kind, text }: Extract<AgentEvent, { type: 'message' }>,
  { last, say }: { last: string; say: (text: string, urgent: boolean) => Activity | null },
): Activity | null {
  const [, number, most] = (kind === 'notice' && providerRetry.exec(text)) || [];
  if (number !== undefined && most !== undefined) return say(`retry ${number}/${most}`, true);
  if (kind === 'notice') return null;
  if (kind === 'stdout' || kind === 'stderr') {
    const line = shown(text.trimEnd().split('\n').at(-1) ?? '');
    return line === '' ? null : say(`> ${line}`, false);
  }
  // Text may come while a tool is at work.
  return last.startsWith('→') ? null : say(kind === 'thought' ? 'thinking' : 'writing', false);
}

const shown = (text: string): string => printableLine(text).slice(0, maxLength);
