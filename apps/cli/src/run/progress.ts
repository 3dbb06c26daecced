import type { Clock } from '@baton/contracts';
import { createLogUpdate } from 'log-update';

import { costOfRun, costText } from '../terminal/cost-text.ts';
import { count, fitLines, formatMs, oneLine, wrapTo } from '../terminal/format.ts';
import { cutTo, widthOf } from '../terminal/width.ts';
import type { Colors } from '../terminal/colors.ts';
import { type Output, type Streams, widthOfTerminal } from '../terminal/output.ts';
import { liveRow, type Working } from './live-row.ts';
import { progressLines, type ProgressLine, type RunSnapshot } from './progress-lines.ts';

/** Shows a run as it goes: a live view on a terminal, plain lines in a log. */
export interface Progress {
  update(before: RunSnapshot, after: RunSnapshot): void;
  /** A line between the others. */
  say(text: string): void;
  /** Takes the live view away, e.g. before a question. It comes back with the next update. */
  pause(): void;
  close(): void;
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 100;
/** More rows than this would push the news off a small terminal. */
const maxRows = 10;
/** Of a terminal that does not tell its width. */
const usualColumns = 80;
const longestKey = 24;

const looks: Record<
  ProgressLine['kind'],
  { mark: string; word: string; color: 'green' | 'red' | 'yellow' | 'cyan' | 'dim' }
> = {
  started: { mark: '▶', word: 'started', color: 'cyan' },
  again: { mark: '↻', word: 'again', color: 'cyan' },
  landed: { mark: '✔', word: 'landed', color: 'green' },
  weakened: { mark: '!', word: 'weakened', color: 'yellow' },
  warning: { mark: '⚠', word: 'warning', color: 'yellow' },
  rejected: { mark: '✘', word: 'rejected', color: 'red' },
  conflict: { mark: '⇄', word: 'conflict', color: 'yellow' },
  failed: { mark: '✘', word: 'failed', color: 'red' },
  given_back: { mark: '↩', word: 'released', color: 'yellow' },
  cancelled: { mark: '⊘', word: 'cancelled', color: 'dim' },
  blocked: { mark: '■', word: 'blocked', color: 'yellow' },
  approval: { mark: '?', word: 'approval', color: 'yellow' },
  request: { mark: '⇡', word: 'request', color: 'cyan' },
  waits: { mark: '…', word: 'waits', color: 'dim' },
  paused: { mark: '‖', word: 'paused', color: 'yellow' },
  held: { mark: '‖', word: 'held', color: 'yellow' },
};

/** Shows progress on stderr: live where stderr is a terminal and no build server, else line by line. */
export function createProgress(
  { out, streams, live }: { out: Output; streams: Streams; live: boolean },
  { clock }: { clock: Clock },
): Progress {
  const colors = out.noteColors;
  const startedMs = clock.monotonicMs();
  const elapsed = () => clock.monotonicMs() - startedMs;
  const view = live ? createLogUpdate(streams.stderr as Parameters<typeof createLogUpdate>[0]) : undefined;
  const print = (text: string) => (view ? view.persist(colors.finish(text)) : out.note(text));
  let snapshot: RunSnapshot | undefined;
  let frame = 0;
  const begun = new Map<string, Date>();
  const isNews = createWaitFilter();
  const draw = (): void => {
    if (!view || !snapshot) return;
    const width = (widthOfTerminal(streams.stderr) ?? usualColumns) - 1;
    frame += 1;
    const shown = { colors, frame, elapsedMs: elapsed(), now: clock.now(), width };
    view(colors.finish(liveView({ ...snapshot, begun }, shown)));
  };
  const timer = view ? setInterval(draw, frameMs) : undefined;
  timer?.unref();
  return {
    update(before, after) {
      snapshot = after;
      noteBegun(begun, after);
      const keyWidth = Math.min(longestKey, Math.max(...after.tasks.map((task) => widthOf(task.key))));
      for (const news of progressLines(before, { ...after, begun }).filter(isNews)) {
        const line = { ...news, text: out.hints(news.text) };
        const width = live ? (widthOfTerminal(streams.stderr) ?? usualColumns) : undefined;
        print(newsLine(line, { colors, keyWidth, elapsedMs: elapsed(), plain: !live, width }));
      }
      draw();
    },
    say: (text) =>
      print(fitLines(out.hints(text), live ? (widthOfTerminal(streams.stderr) ?? usualColumns) : undefined)),
    pause() {
      snapshot = undefined;
      view?.clear();
    },
    close() {
      clearInterval(timer);
      view?.clear();
      view?.done();
    },
  };
}

/** One piece of news as a line; where it is wider than the terminal, it wraps to below its own text. */
export function newsLine(
  line: ProgressLine,
  {
    colors,
    keyWidth,
    elapsedMs,
    plain,
    width,
  }: { colors: Colors; keyWidth: number; elapsedMs: number; plain: boolean; width?: number | undefined },
): string {
  const { mark, word, color } = looks[line.kind];
  const time = plain ? `${colors.dim(formatMs(elapsedMs).padStart(7))} ` : '';
  const head = `${mark} ${word.padEnd(10)}`;
  const indent = widthOf(head) + Math.max(keyWidth, widthOf(line.key)) + 3;
  const text = wrapTo(oneLine(line.text, 600), { width, indent });
  return `${time}${colors[color](head)} ${line.key.padEnd(keyWidth)}  ${text}`.trimEnd();
}

/** An attempt begins when its task is first seen at work: one of a batch may have been claimed long before. */
function noteBegun(begun: Map<string, Date>, { tasks, attempts }: RunSnapshot): void {
  for (const task of tasks.filter(({ status }) => status === 'IN_PROGRESS')) {
    const attempt = attempts.findLast(({ taskId }) => taskId === task.id);
    if (attempt && !begun.has(attempt.id)) begun.set(attempt.id, task.updatedAt);
  }
}

/** A reason to wait is said once, and again only when it is another one; a new time alone is none. */
export function createWaitFilter(): (line: ProgressLine) => boolean {
  const said = new Map<string, string>();
  return ({ kind, key, text }) => {
    if (kind !== 'waits') return true;
    const reason = text.replace(/\bUntil \S[^]*?(?= To unblock: |$)/, '').replaceAll(/\d+/g, '#');
    if (said.get(key) === reason) return false;
    said.set(key, reason);
    return true;
  };
}

/** What is at work right now, and how far the run is. No line is wider than the terminal. */
export function liveView(
  snapshot: RunSnapshot,
  {
    colors,
    frame,
    elapsedMs,
    now,
    width,
  }: { colors: Colors; frame: number; elapsedMs: number; now: Date; width: number },
): string {
  const { run, tasks, waits } = snapshot;
  const spinner = frames[frame % frames.length] ?? '';
  const busy = tasks.filter((task) => ['CLAIMED', 'IN_PROGRESS', 'DONE'].includes(task.status));
  const keyWidth = Math.min(longestKey, Math.max(0, ...busy.map((task) => widthOf(task.key))));
  const rows = busy
    .slice(0, maxRows)
    .map((task) => liveRow(workingOn(task, snapshot), { colors, spinner, keyWidth, width, now }));
  for (const [key, text] of busy.length === 0 ? waits : [])
    rows.push(colors.dim(cutTo(`… ${key}  ${oneLine(text, 200)}`, width)));
  const landed = tasks.filter((task) => task.status === 'CLOSED').length;
  const failed = tasks.filter((task) => task.status === 'FAILED' && task.settled).length;
  const bar = progressBar(landed / Math.max(1, tasks.length), colors);
  const facts = [
    `${landed}/${tasks.length} landed`,
    ...(busy.length > maxRows ? [`${busy.length - maxRows} more at work`] : []),
    ...(failed > 0 ? [colors.red(count(failed, 'task') + ' failed')] : []),
    ...costFact(run),
    formatMs(elapsedMs),
  ];
  return ['', ...rows, `${bar} ${facts.join(colors.dim(' · '))}`].join('\n');
}

function costFact(run: RunSnapshot['run']): string[] {
  if (run.spentMicroUsd === 0 && run.unmeasuredAttempts === 0) return [];
  const text = costText(costOfRun(run));
  return [text.startsWith('$') ? text : `cost ${text}`];
}

function workingOn(task: RunSnapshot['tasks'][number], snapshot: RunSnapshot): Working {
  const { tasks, attempts, sessions, begun } = snapshot;
  const attempt = attempts.findLast((item) => item.taskId === task.id);
  const session = sessions.find((item) => item.id === attempt?.sessionId);
  const ofSession = new Set(
    attempts
      .filter((item) => session !== undefined && item.sessionId === session.id)
      .map(({ taskId }) => taskId),
  );
  const before = tasks.find(
    (other) => other.id !== task.id && other.status === 'IN_PROGRESS' && ofSession.has(other.id),
  );
  const behind = task.status === 'CLAIMED' ? before?.key : undefined;
  return { task, attempt, session, behind, begunAt: attempt && begun?.get(attempt.id) };
}

function progressBar(share: number, colors: Colors): string {
  const width = 20;
  const full = Math.round(share * width);
  return `${colors.green('━'.repeat(full))}${colors.dim('─'.repeat(width - full))}`;
}
