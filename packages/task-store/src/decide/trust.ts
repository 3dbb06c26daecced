import {
  type TrustCase,
  type TrustLevel,
  trustLevels,
  type TrustMove,
  type TrustOutcome,
  type TrustRecord,
  type TrustVerdict,
} from '../model/trust.ts';

/** Clean landings that a level takes: 1, 3, 10. */
const cleanFor: readonly number[] = [0, 1, 3, 10];

const neededFor: Readonly<Record<TrustMove, TrustLevel>> = {
  land: 'TRUSTED',
  decompose: 'PROBATIONARY',
  retry: 'PROBATIONARY',
};

/** Counts a track record. */
export function trustRecord(outcomes: readonly TrustOutcome[]): TrustRecord {
  const of = (kind: TrustOutcome['kind']) => outcomes.filter((outcome) => outcome.kind === kind);
  const sum = (kind: TrustOutcome['kind']) => of(kind).reduce((total, { times }) => total + times, 0);
  return {
    landed: sum('landed'),
    rejected: sum('rejected'),
    violations: sum('violation'),
    lastViolation: of('violation').at(-1)?.what ?? null,
  };
}

/**
 * The level that outcomes come to, oldest first: clean landings raise it at 1, 3 and 10, a violation costs one level, and what
 * was above has to be earned again. An ordinary rejection changes nothing. An operator's own plan starts at TRUSTED. Pure.
 */
export function trustLevel(
  outcomes: readonly TrustOutcome[],
  { start }: { start: 'UNTRUSTED' | 'TRUSTED' },
): TrustLevel {
  let clean = cleanFor[trustLevels.indexOf(start)] ?? 0;
  for (const { kind, times } of outcomes) {
    if (kind === 'landed') clean += times;
    for (let time = 0; kind === 'violation' && time < times; time += 1)
      clean = cleanFor[Math.max(0, rank(clean) - 1)] ?? 0;
  }
  return trustLevels[rank(clean)] ?? 'UNTRUSTED';
}

function rank(clean: number): number {
  return cleanFor.findLastIndex((needed) => clean >= needed);
}

/**
 * May an agent make this move without a person? Never above what the plan allows: text from outside keeps its work at
 * PROBATIONARY whatever the record, and work of high risk lands by itself only from ELEVATED. Pure. Source:
 * docs/spec/landing.md#trust.
 */
export function decideTrust({ subject, outcomes, move, task }: TrustCase): TrustVerdict {
  const own = task.source.trusted && ['plan', 'goal'].includes(task.source.kind);
  const earned = trustLevel(outcomes, { start: own ? 'TRUSTED' : 'UNTRUSTED' });
  const level = task.source.trusted ? earned : lower(earned, 'PROBATIONARY');
  const needed = move === 'land' && task.risk === 'high' ? 'ELEVATED' : neededFor[move];
  const allowed = trustLevels.indexOf(level) >= trustLevels.indexOf(needed);
  const record = trustRecord(outcomes);
  const who = [subject.agent ?? subject.adapter, subject.model].filter(Boolean).join(' ');
  const why = `${who} as ${subject.role}: ${record.landed} landed clean, ${record.rejected} rejected, ${record.violations} violations`;
  const ceiling = level === earned ? '' : `; its text came from outside, so no more than ${level}`;
  const last = record.lastViolation === null ? '' : ` (last: ${record.lastViolation})`;
  return {
    allowed,
    level,
    needed,
    evidence: { ...subject, ...record },
    text: `trust is ${level}, to ${move} without a person it takes ${needed}; ${why}${last}${ceiling}`,
  };
}

function lower(one: TrustLevel, other: TrustLevel): TrustLevel {
  return trustLevels.indexOf(one) < trustLevels.indexOf(other) ? one : other;
}
