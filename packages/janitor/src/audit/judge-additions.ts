import type { DependencyRules } from '@baton/contracts';
import { shownAddress, type Dependency, type Ecosystem } from './dependency.ts';
import { isAllowed } from './licence.ts';

/** What the target and the change name. */
export interface AuditedChange {
  /** All packages of the target. */
  before: readonly Dependency[];
  /** Names that people wrote into the manifests of the target. */
  direct: readonly { ecosystem: Ecosystem; name: string }[];
  /** Those that the change adds, each at a version, or from a place, that the target does not have. */
  added: readonly Dependency[];
}

/** One package that a change adds, and what speaks against it. */
export interface Addition {
  dependency: Dependency;
  /** The target has it in no version. */
  isNew: boolean;
  findings: string[];
}

const usual: Readonly<Record<Ecosystem, readonly string[]>> = {
  npm: ['https://registry.npmjs.org/', 'https://registry.yarnpkg.com/'],
  PyPI: ['https://pypi.org/', 'https://files.pythonhosted.org/'],
  'crates.io': ['https://github.com/rust-lang/crates.io-index', 'https://index.crates.io/'],
  Go: [],
};

/** Shorter names are one edit away from half of all names. */
const shortestName = 4;

/** Says what speaks against each addition. What the target had in the same way in another version is not held against a version. Pure. */
export function judgeAdditions(change: AuditedChange, rules: DependencyRules): Addition[] {
  const known = Map.groupBy(change.before, keyOf);
  return change.added.map((dependency) => {
    const earlier = known.get(keyOf(dependency)) ?? [];
    const isNew = earlier.length === 0;
    const findings = [
      ...sourceFinding(dependency, { earlier, allowed: rules.sources }),
      ...(dependency.integrity === false && !earlier.some(({ integrity }) => integrity === false)
        ? ['no hash of its content is kept']
        : []),
      ...licenceFinding(dependency, { earlier, licences: rules.licences }),
      ...(isNew ? nameFinding(dependency, change) : []),
    ];
    return { dependency, isNew, findings };
  });
}

const keyOf = ({ ecosystem, name }: { ecosystem: Ecosystem; name: string }): string => `${ecosystem} ${name}`;

function sourceFinding(
  { ecosystem, source }: Dependency,
  { earlier, allowed }: { earlier: readonly Dependency[]; allowed: readonly string[] },
): string[] {
  const { kind, url } = source;
  if (kind === 'unknown' || url === null) return [];
  const bare = shownAddress(url).replace(/^git\+(?=https?:)/, '');
  const isFrom = (beginning: string): boolean => isBelow(bare, beginning);
  if (kind === 'registry' && usual[ecosystem].some(isFrom)) return [];
  if (allowed.some(isFrom)) return [];
  const place = placeOf(source);
  if (earlier.some((other) => placeOf(other.source) === place)) return [];
  return [`it comes from ${bare.replace(/#.*$/s, '').slice(0, 200)}`];
}

/** `https://a.example` is no beginning of `https://a.example.org/x`. */
function isBelow(address: string, beginning: string): boolean {
  const folder = beginning.replace(/\/+$/, '');
  return address === folder || address.startsWith(`${folder}/`);
}

/** Where versions of one package have in common that they come from. */
function placeOf({ kind, url }: Dependency['source']): string {
  if (url === null) return 'usual';
  const bare = shownAddress(url).replace(/#.*$/s, '');
  if (kind === 'git') return bare;
  return URL.canParse(bare) ? new URL(bare).origin : bare;
}

function licenceFinding(
  { licence }: Dependency,
  { earlier, licences }: { earlier: readonly Dependency[]; licences: readonly string[] | undefined },
): string[] {
  if (licences === undefined) return [];
  if (licence === null) return earlier.length > 0 ? [] : ['its licence is not known'];
  if (earlier.some((other) => other.licence === licence)) return [];
  const allowed = isAllowed(licence, licences);
  if (allowed === true) return [];
  const shown = licence.slice(0, 100);
  return [
    allowed === null ? `its licence ${shown} is no SPDX expression` : `its licence ${shown} is not allowed`,
  ];
}

/** A name that is one edit away from one that people wrote down here may be meant for it. */
function nameFinding({ ecosystem, name, alias }: Dependency, { before, direct }: AuditedChange): string[] {
  const written = direct.filter((other) => other.ecosystem === ecosystem);
  const others = (written.length > 0 ? written : before.filter((other) => other.ecosystem === ecosystem)).map(
    (other) => other.name,
  );
  const like = [...new Set(others)].find((other) => isOneEdit(name, other) && !isOfSameScope(name, other));
  if (like !== undefined) return [`its name is one edit away from ${like}`];
  return alias !== null && others.includes(alias) ? [`it is used under the name of ${alias}`] : [];
}

/** Packages of one scope, and modules of one path, have one owner. */
function isOfSameScope(one: string, other: string): boolean {
  const scope = (name: string): string => name.slice(0, Math.max(0, name.lastIndexOf('/')));
  return scope(one) !== '' && scope(one) === scope(other);
}

/** Whether one letter more, less, other or swapped with the next makes one name of the other. */
export function isOneEdit(one: string, other: string): boolean {
  if (one === other || Math.min(one.length, other.length) < shortestName) return false;
  if (Math.abs(one.length - other.length) > 1) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  let end = 0;
  const room = Math.min(one.length, other.length) - start;
  while (end < room && one[one.length - 1 - end] === other[other.length - 1 - end]) end += 1;
  const middle = (name: string): string => name.slice(start, name.length - end);
  const [a, b] = [middle(one), middle(other)];
  if (a.length <= 1 && b.length <= 1) return true;
  return a.length === 2 && b.length === 2 && a[0] === b[1] && a[1] === b[0];
}
