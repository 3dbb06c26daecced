import type { Clock } from '@baton/contracts';
import { createLogUpdate } from 'log-update';

import { costOfRun, costText } from '../cost-text.ts';
import { count, formatMs, oneLine } from '../format.ts';
import type { Colors } from '../colors.ts';
import type { Output, Streams } from '../output.ts';
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

const looks: Record<
  ProgressLine['kind'],
  { mark: string; word: string; color: 'green' | 'red' | 'yellow' | 'cyan' | 'dim' }
> = {
  started: { mark: '▶', word: 'started', color: 'cyan' },
  again: { mark: '↻', word: 'again', color: 'cyan' },
  landed: { mark: '✔', word: 'landed', color: 'green' },
  rejected: { mark: '✘', word: 'rejected', color: 'red' },
  conflict: { mark: '⇄', word: 'conflict', color: 'yellow' },
  failed: { mark: '✘', word: 'failed', color: 'red' },
  given_back: { mark: '↩', word: 'given back', color: 'yellow' },
  cancelled: { mark: '⊘', word: 'cancelled', color: 'dim' },
  blocked: { mark: '■', word: 'blocked', color: 'yellow' },
  approval: { mark: '?', word: 'approval', color: 'yellow' },
  waits: { mark: '…', word: 'waits', color: 'dim' },
  paused: { mark: '‖', word: 'paused', color: 'yellow' },
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
  const draw = (): void => {
    if (view && snapshot)
      view(
        colors.finish(
          liveView(snapshot, { colors, frame: (frame += 1), elapsedMs: elapsed(), now: clock.now() }),
        ),
      );
  };
  const timer = view ? setInterval(draw, frameMs) : undefined;
  timer?.unref();
  return {
    update(before, after) {
      snapshot = after;
      const keyWidth = Math.min(24, Math.max(...after.tasks.map((task) => task.key.length)));
      for (const line of progressLines(before, after)) {
        print(newsLine(line, { colors, keyWidth, elapsedMs: elapsed(), plain: !live }));
      }
      draw();
    },
    say: (text) => print(text),
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

/** One piece of news as a line. */
export function newsLine(
  line: ProgressLine,
  {
    colors,
    keyWidth,
    elapsedMs,
    plain,
  }: { colors: Colors; keyWidth: number; elapsedMs: number; plain: boolean },
): string {
  const { mark, word, color } = looks[line.kind];
  const time = plain ? `${colors.dim(formatMs(elapsedMs).padStart(7))} ` : '';
  return `${time}${colors[color](`${mark} ${word.padEnd(10)}`)} ${line.key.padEnd(keyWidth)}  ${oneLine(line.text, 600)}`.trimEnd();
}

/** What is going on right now, and how far the run is. */
export function liveView(
  { run, tasks, attempts, sessions, waits }: RunSnapshot,
  { colors, frame, elapsedMs, now }: { colors: Colors; frame: number; elapsedMs: number; now: Date },
): string {
  const spinner = frames[frame % frames.length] ?? '';
  const busy = tasks.filter((task) => ['CLAIMED', 'IN_PROGRESS', 'DONE'].includes(task.status));
  const keyWidth = Math.min(24, Math.max(0, ...busy.map((task) => task.key.length)));
  const rows = busy.slice(0, maxRows).map((task) => {
    const attempt = attempts.findLast((item) => item.taskId === task.id);
    const activity = sessions.find((session) => session.id === attempt?.sessionId)?.activity;
    const doing =
      task.status === 'DONE'
        ? colors.blue('verifying')
        : task.status === 'CLAIMED'
          ? colors.dim('getting ready')
          : colors.cyan('running');
    const since = attempt ? formatMs(now.getTime() - attempt.createdAt.getTime()) : '';
    return `${colors.cyan(spinner)} ${task.key.padEnd(keyWidth)}  ${doing} ${colors.dim(since)}  ${colors.dim(oneLine(activity ?? '', 50))}`.trimEnd();
  });
  for (const [key, text] of busy.length === 0 ? waits : [])
    rows.push(colors.dim(`… ${key}  ${oneLine(text, 90)}`));
  const landed = tasks.filter((task) => task.status === 'CLOSED').length;
  const failed = tasks.filter((task) => task.status === 'FAILED' && task.settled).length;
  const bar = progressBar(landed / Math.max(1, tasks.length), colors);
  const facts = [
    `${landed}/${tasks.length} landed`,
    ...(busy.length > maxRows ? [`${busy.length - maxRows} more at work`] : []),
    ...(failed > 0 ? [colors.red(count(failed, 'task') + ' failed')] : []),
    ...(run.spentMicroUsd > 0 || run.unmeasuredAttempts > 0 ? [costText(costOfRun(run))] : []),
    formatMs(elapsedMs),
  ];
  return ['', ...rows, `${bar} ${facts.join(colors.dim(' · '))}`].join('\n');
}

function progressBar(share: number, colors: Colors): string {
  const width = 20;
  const full = Math.round(share * width);
  return `${colors.green('━'.repeat(full))}${colors.dim('─'.repeat(width - full))}`;
}
