import type { ChangeDiff } from '@baton/janitor';
import { whyEnded, type StoredVerdict } from '@baton/task-store';

import { agentText } from '../terminal/agent-text.ts';
import type { Colors } from '../terminal/colors.ts';
import { oneLine, shortId, wrapTo, wrapWords } from '../terminal/format.ts';
import { taskWord } from '../terminal/status-words.ts';
import type { Looked } from './task-change.ts';

/** Names of the recorded checks for tests and gates that the work weakens. */
const weakening: readonly string[] = ['tamper', 'weakened'];

/** What the work weakens of what judges it, one sentence each. */
export function weakenedBy(verdict: Pick<StoredVerdict, 'results'> | null): string[] {
  return (verdict?.results ?? [])
    .filter(({ name, passed }) => weakening.includes(name) && !passed)
    .map(({ reason }) => reason);
}

/** For whom it is laid out. */
export interface LookStyle {
  colors: Colors;
  /** Columns of the terminal; undefined: lines stay whole. */
  width: number | undefined;
}

/** The header of a diff: which task and attempt it is the work of, what became of it and why. */
export function lookHeader(looked: Looked, { colors, width }: LookStyle): string {
  const { task, attempt, attempts, agent, verdict, approval, change } = looked;
  const reason = approval?.reason ?? (attempt === null ? null : whyEnded(attempt));
  const checks = (verdict?.results ?? []).map(
    ({ name, passed, required }) =>
      `${passed ? colors.green('✔') : required ? colors.red('✘') : colors.yellow('!')} ${name}`,
  );
  const weakened = weakenedBy(verdict).filter((text) => !(reason ?? '').includes(text));
  return [
    `${colors.bold(task.key)}  ${stateWord(looked, colors)}  ${oneLine(task.title, 200)}`,
    ...(attempt === null
      ? ['It has not started yet.']
      : [`attempt ${attempt.number} of ${attempts}${agent === null ? '' : ` by ${agentText(agent)}`}`]),
    ...(reason === null
      ? []
      : [`${colors.yellow('reason')}  ${wrapTo(oneLine(reason, 600), { width, indent: 8 })}`]),
    ...(checks.length === 0 ? [] : [`checks  ${wrapWords(checks, { width, indent: 8, gap: '  ' })}`]),
    ...weakened.map(
      (text) => `${colors.yellow('weakened')}  ${wrapTo(oneLine(text, 300), { width, indent: 10 })}`,
    ),
    ...(change === null ? [] : [placeLine(looked, colors)]),
  ].join('\n');
}

/** {@link lookHeader} with the files that the work changes. */
export function lookSummary(
  { looked, diff }: { looked: Looked; diff: Pick<ChangeDiff, 'stat'> | null },
  style: LookStyle,
): string {
  const { attempt } = looked;
  const none = attempt === null ? [] : ['', `Attempt ${attempt.number} left no work that can be read here.`];
  return [lookHeader(looked, style), ...(diff === null ? none : ['', diff.stat.trimEnd()])].join('\n');
}

function stateWord({ task, attempt, change }: Looked, colors: Colors): string {
  if (attempt?.outcome && attempt.outcome !== 'done')
    return colors.red(`✘ ${attempt.outcome.replaceAll('_', ' ')}`);
  return change?.kind === 'landed' ? colors.green('✔ landed') : taskWord(task.status, colors);
}

function placeLine({ change }: Looked, colors: Colors): string {
  if (change === null) return '';
  const { kind, to, ref } = change;
  const commit = colors.yellow(shortId(to));
  if (ref !== null) return `commit  ${commit}  ${colors.dim(ref)}`;
  const what = {
    landed: 'as it landed',
    candidate: '',
    finished: 'as its agent left it',
    saved: 'saved when its agent ended early',
  };
  return `commit  ${commit}  ${colors.dim(what[kind])}`;
}

/** The same as data. */
export function lookedView(looked: Looked, diff: ChangeDiff | null): Record<string, unknown> {
  const { task, attempt, attempts, agent, verdict, approval, change } = looked;
  return {
    task: { id: task.id, key: task.key, title: task.title, status: task.status, runId: task.runId },
    attempt:
      attempt === null
        ? null
        : {
            number: attempt.number,
            of: attempts,
            outcome: attempt.outcome,
            agent: agent?.agent ?? null,
            model: agent?.model ?? null,
            summary: attempt.summary,
          },
    reason: approval?.reason ?? (attempt === null ? null : whyEnded(attempt)),
    verdict: verdict === null ? null : { passed: verdict.passed, results: verdict.results },
    weakened: weakenedBy(verdict),
    change: change === null ? null : { kind: change.kind, from: change.from, to: change.to, ref: change.ref },
    stat: diff?.stat ?? null,
    files: diff?.files ?? [],
  };
}
