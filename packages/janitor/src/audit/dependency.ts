/** Whose packages they are. */
export type Ecosystem = 'npm' | 'PyPI' | 'crates.io' | 'Go';

/** Where a package comes from. */
export interface Source {
  /** `unknown`: the file does not say; it is then what the tool is set to. */
  kind: 'registry' | 'git' | 'url' | 'unknown';
  /** Null: the usual registry, or not said. */
  url: string | null;
}

/** One package at one version, as a manifest or a lock file names it. */
export interface Dependency {
  ecosystem: Ecosystem;
  name: string;
  /** Another name under which it is used here; null: none. */
  alias: string | null;
  /** A version, in manifests a range; empty: any. */
  version: string;
  source: Source;
  /** Whether a hash of its content is kept; null: this kind of file keeps none. */
  integrity: boolean | null;
  /** As the file writes it; null: it does not say. */
  licence: string | null;
}

/** What one file says. */
export interface FoundDependencies {
  dependencies: Dependency[];
  /** Names that people wrote down there themselves, in manifests. */
  direct: string[];
}

/** A file that is none of its kind. */
export class Unreadable extends Error {}

/** A package of the usual registry of which nothing else is known. */
export function plain(
  ecosystem: Ecosystem,
  name: string,
  more: Partial<Omit<Dependency, 'ecosystem' | 'name'>> = {},
): Dependency {
  return {
    ...{ ecosystem, name, alias: null, version: '', integrity: null, licence: null },
    source: { kind: 'registry', url: null },
    ...more,
  };
}

/** The entries of a value that is an object; none of anything else. */
export function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

/** A value of an object; undefined where there is none. */
export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

/** A value that is text; null otherwise. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** A value that is a list; empty otherwise. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The source that an address names. */
export function sourceOf(address: string): Source {
  const isGit = /^(?:git[+:@]|github:|gitlab:|bitbucket:|ssh:)|\.git(?:[#?]|$)/.test(address);
  return { kind: isGit ? 'git' : 'url', url: address };
}

/** An address as it may be shown: without what people log in with. */
export function shownAddress(url: string): string {
  return url.replace(/^([a-z+.-]+:\/\/)[^/@\s]*@/i, '$1').replace(/[?].*$/s, '');
}
