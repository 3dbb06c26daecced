import type { AgentSession, Attempt, Task } from '@baton/task-store';

import { agentOf, agentText } from '../terminal/agent-text.ts';
import type { Colors } from '../terminal/colors.ts';
import { costOf, costText } from '../terminal/cost-text.ts';
import { formatMs, formatTokens, oneLine } from '../terminal/format.ts';
import { cutTo, widthOf } from '../terminal/width.ts';

/** A task at work, and what is known of its agent. */
export interface Working {
  task: Task;
  attempt: Attempt | undefined;
  session: AgentSession | undefined;
  /** Key of the task of the same agent that is at work before it, if one is. */
  behind: string | undefined;
  /** When the agent began with it; undefined: not yet. */
  begunAt: Date | undefined;
}

interface Part {
  text: string;
  paint: (text: string) => string;
}

const longestAgent = 32;
const longestDoing = 100;
/** With less room than this for what the agent does now, the parts behind it are left out instead. */
const fewestDoing = 24;
/** A limit that is further away needs no words. */
const limitNearMs = 60 * 60_000;

/**
 * One task at work in one line: `⠇ hello  claude-code·opus  → npm test  3.2k/90 tok  $0.0100  1m 33s, 28m left`. What does
 * not fit is left out from the end, and what the agent does now is cut last.
 * @param options.width columns of the terminal
 */
export function liveRow(
  working: Working,
  {
    colors,
    spinner,
    keyWidth,
    width,
    now,
  }: { colors: Colors; spinner: string; keyWidth: number; width: number; now: Date },
): string {
  const key = cutTo(working.task.key, keyWidth);
  const head = `${colors.cyan(spinner)} ${key}${' '.repeat(Math.max(0, keyWidth - widthOf(key)))}`;
  let room = width - keyWidth - widthOf(spinner) - 1;
  const [doing, agent, ...facts] = partsOf(working, { colors, now });
  const kept: Part[] = [];
  const least = Math.min(fewestDoing, widthOf(doing.text)) + 2;
  for (const part of [agent, ...facts]) {
    const takes = widthOf(part.text) + 2;
    if (part.text === '' || takes + least > room) continue;
    kept.push(part);
    room -= takes;
  }
  const cut = { ...doing, text: cutTo(doing.text, Math.max(0, room - 2)) };
  const shown = kept[0] === agent ? [agent, cut, ...kept.slice(1)] : [cut, ...kept];
  return [head, ...shown.filter(({ text }) => text !== '').map(({ text, paint }) => paint(text))].join('  ');
}

/** First what it does now, then the rest in the order of its worth. */
function partsOf(
  { task, attempt, session, behind, begunAt }: Working,
  { colors, now }: { colors: Colors; now: Date },
): [Part, Part, ...Part[]] {
  const running = task.status === 'IN_PROGRESS';
  return [
    doingOf({ task, session, behind }, colors),
    { text: cutTo(oneLine(agentText(agentOf(attempt, session))), longestAgent), paint: colors.dim },
    { text: moneyOf(attempt), paint: (text) => text },
    { text: tokensOf(attempt), paint: colors.dim },
    { text: running ? timeOf({ attempt, session, begunAt }, now) : '', paint: colors.dim },
  ];
}

function doingOf(
  { task, session, behind }: Pick<Working, 'task' | 'session' | 'behind'>,
  colors: Colors,
): Part {
  if (task.status === 'DONE') return { text: 'verifying', paint: colors.blue };
  if (behind !== undefined) return { text: `queued behind ${behind}`, paint: colors.dim };
  if (task.status === 'CLAIMED') return { text: 'getting ready', paint: colors.dim };
  const activity = oneLine(session?.activity ?? '', longestDoing);
  return {
    text: activity === '' ? 'running' : activity,
    paint: activity.startsWith('retry') ? colors.yellow : colors.cyan,
  };
}

const tokensOf = (attempt: Attempt | undefined): string =>
  attempt === undefined || attempt.inputTokens + attempt.outputTokens === 0
    ? ''
    : `${formatTokens(attempt.inputTokens)}/${formatTokens(attempt.outputTokens)} tok`;

/** Nothing for an agent that has told nothing yet. */
function moneyOf(attempt: Attempt | undefined): string {
  if (attempt === undefined) return '';
  const cost = costOf([attempt]);
  if (cost.costMicroUsd === 0) return cost.unmeasured === 0 ? '' : `cost ${costText(cost)}`;
  return costText(cost);
}

function timeOf(
  { attempt, session, begunAt }: Pick<Working, 'attempt' | 'session' | 'begunAt'>,
  now: Date,
): string {
  const began = begunAt ?? attempt?.createdAt;
  if (began === undefined) return '';
  const left = session?.deadlineAt ? session.deadlineAt.getTime() - now.getTime() : Infinity;
  const limit = left < limitNearMs ? `, ${formatMs(Math.max(0, left))} left` : '';
  return `${formatMs(now.getTime() - began.getTime())}${limit}`;
}
