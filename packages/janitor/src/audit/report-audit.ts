import { printableLine, type DependencyRules } from '@baton/contracts';
import type { DependencyAudit } from './audit-change.ts';
import { shownAddress, type Dependency } from './dependency.ts';
import type { Addition } from './judge-additions.ts';

const shownInReason = 5;
const shownInList = 200;

/** What becomes of a change by the packages that it adds. */
export interface AuditReport {
  decision: DependencyRules['new'];
  /** One sentence, without a stop at its end. */
  reason: string;
  /** Every addition on a line of its own. */
  list: string;
}

/** Decides by the rules, and writes what a person reads of it. What cannot be read counts as flagged. Pure. */
export function reportAudit({ additions, unread }: DependencyAudit, rules: DependencyRules): AuditReport {
  const flagged = additions.filter(({ findings }) => findings.length > 0);
  const fresh = additions.filter(({ isNew }) => isNew);
  const wrong = [
    ...unread.map(({ path, why }) => `${printableLine(path)} cannot be read (${why})`),
    ...flagged.map(({ dependency, findings }) => `${titleOf(dependency)} (${findings.join('; ')})`),
  ];
  const decisions = [...(wrong.length > 0 ? [rules.flagged] : []), ...(fresh.length > 0 ? [rules.new] : [])];
  const decision = (['refuse', 'hold'] as const).find((one) => decisions.includes(one)) ?? ('allow' as const);
  const news = fresh.map(({ dependency }) => titleOf(dependency));
  const isForNew = decision !== 'allow' && rules.new === decision && fresh.length > 0;
  const parts = [
    ...(wrong.length > 0 ? [`dependencies with something against them: ${shortened(wrong)}`] : []),
    ...(isForNew ? [`new dependencies: ${shortened(news)}`] : []),
  ];
  return {
    decision,
    reason: parts.length === 0 ? summary({ additions, fresh }) : parts.join('; '),
    list: listOf(additions),
  };
}

function summary({
  additions,
  fresh,
}: {
  additions: readonly Addition[];
  fresh: readonly Addition[];
}): string {
  if (additions.length === 0) return 'no dependency is added';
  const others = additions.length - fresh.length;
  const texts = [
    ...(fresh.length > 0
      ? [`${fresh.length} new ${fresh.length === 1 ? 'dependency' : 'dependencies'}`]
      : []),
    ...(others > 0 ? [`${others} other ${others === 1 ? 'version' : 'versions'} of known ones`] : []),
  ];
  return `adds ${texts.join(' and ')}`;
}

function titleOf({ ecosystem, name, alias, version }: Dependency): string {
  const used = alias === null ? '' : ` as ${alias}`;
  return printableLine(`${ecosystem} ${name}${version === '' ? '' : ` ${version}`}${used}`).slice(0, 200);
}

function shortened(texts: readonly string[]): string {
  const more = texts.length - shownInReason;
  return `${texts.slice(0, shownInReason).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** What is flagged comes first. */
function listOf(additions: readonly Addition[]): string {
  const sorted = [...additions].sort((a, b) => b.findings.length - a.findings.length);
  const more = sorted.length - shownInList;
  return [...sorted.slice(0, shownInList).map(lineOf), ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}

function lineOf({ dependency, isNew, findings }: Addition): string {
  const { source, integrity, licence } = dependency;
  const place = source.url === null ? 'usual registry' : shownAddress(source.url);
  const parts = [
    `${titleOf(dependency)}: ${isNew ? 'new' : 'another version'}`,
    source.kind === 'unknown' ? 'source not named' : place,
    ...(integrity === null ? [] : [integrity ? 'hash' : 'no hash']),
    licence ?? 'licence not named',
    ...findings,
  ];
  return printableLine(parts.join(' · ')).slice(0, 500);
}
