import { workspaceSetup, type WorkspaceSetup } from '@baton/contracts';
import { hintsFor } from './hints.ts';
import { detectProject } from './detect-project.ts';
import type { RepoFacts } from './repo-facts.ts';

/** What a checkout and a worktree of it hold besides tracked files. */
export interface Comparison {
  facts: RepoFacts;
  /** Paths of the checkout that git ignores, a folder as one. */
  ignored: readonly string[];
  /** Paths of the checkout that are neither tracked nor ignored. */
  untracked: readonly string[];
  configured: WorkspaceSetup | null;
  /** What set-up left in the worktree, folders as one. */
  made: readonly string[];
  /** What the gates printed that are red in the worktree; empty: only what set-ups are made of is compared. */
  outputs: readonly string[];
}

/** What a worktree lacks that its checkout has, and what helps. */
export interface SetupAdvice {
  /** Paths that git ignores. */
  missing: string[];
  /** Paths that were never committed. */
  uncommitted: string[];
  /** The whole set-up with what is missing; null: none is known that helps. */
  workspace: WorkspaceSetup | null;
  /** What else is known to help, each as the beginning of a sentence. */
  hints: string[];
}

const mostNamed = 5;
const notFound =
  /exit code 127|not found|cannot find (module|package|crate)|modulenotfounderror|no module named|no such file|no required module provides|could not find gem|could not resolve|failed to open stream/i;

/**
 * Compares what a worktree holds with its checkout. Installed packages that it lacks count as they are; other ignored or
 * untracked files only where a red gate named them. Where nothing that the checkout has is missing and yet something was
 * not found, an installation may help. Pure.
 *
 * @returns null when the worktree lacks nothing that is known
 */
export function adviseSetup(given: Comparison): SetupAdvice | null {
  const { facts, configured } = given;
  const detected = detectProject(facts).workspace;
  const here = [...(configured?.symlink ?? []), ...(configured?.copy ?? []), ...given.made];
  const lacks = (path: string): boolean => !here.some((each) => path === each || path.startsWith(`${each}/`));
  const packages = (detected?.symlink ?? []).filter(lacks);
  const named = given.ignored.filter(
    (path) => lacks(path) && !facts.installed.includes(path) && isNamed(path, given.outputs),
  );
  const uncommitted = given.untracked.filter((path) => isNamed(path, given.outputs)).slice(0, mostNamed);
  const missing = [...packages, ...named.slice(0, mostNamed)];
  const isLost = missing.length === 0 && given.outputs.some((output) => notFound.test(output));
  const installs = isLost && configured?.setup === undefined ? detected : null;
  const helps = missing.length + uncommitted.length > 0 || installs?.setup !== undefined;
  const hints = hintsFor(given, { folders: named.filter((path) => !isFile(path)), isKnown: helps });
  if (!helps && hints.length === 0) return null;
  const files = named.filter(isFile).slice(0, mostNamed);
  const isHelp = packages.length + files.length > 0 || installs?.setup !== undefined;
  return {
    missing,
    uncommitted,
    workspace: isHelp ? merged(configured, { packages, files, installs }) : null,
    hints,
  };
}

const isFile = (path: string): boolean => /\.[A-Za-z]|(^|\/)\.[^/]+$/.test(path);

function merged(
  configured: WorkspaceSetup | null,
  { packages, files, installs }: { packages: string[]; files: string[]; installs: WorkspaceSetup | null },
): WorkspaceSetup {
  const before = configured ?? workspaceSetup.parse({});
  const { setup = installs?.setup, inputs = installs?.inputs } = before;
  return {
    ...before,
    ...(setup === undefined ? {} : { setup }),
    ...(inputs === undefined ? {} : { inputs }),
    symlink: [...before.symlink, ...packages],
    copy: [...before.copy, ...files],
  };
}

/** Whether an output names a path, with or without what comes before and after it. */
function isNamed(path: string, outputs: readonly string[]): boolean {
  const plain = path.replace(/\/$/, '');
  const stem = plain.replace(/(?<=[^/.])\.[A-Za-z]+$/, '');
  return outputs.some((output) =>
    [plain, ...(stem.includes('/') ? [stem] : [])].some((name) => stands(name, output)),
  );
}

function stands(name: string, text: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const before = text[at - 1] ?? ' ';
    const after = text[at + name.length] ?? ' ';
    if (/[\s/'"`(=:]/.test(before) && /[\s/'"`):,;.\]]/.test(after)) return true;
  }
  return false;
}
