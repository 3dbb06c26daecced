import { workspaceSetup, type WorkspaceSetup } from '@baton/contracts';
import type { DetectedGate } from './detected-gate.ts';
import { gatesOf } from './gates-of.ts';
import { nodeNeeds } from './node.ts';
import { gateIn, needsIn, nestedRepos, withoutNested } from './nested.ts';
import { otherNeeds } from './others.ts';
import { pythonNeeds } from './python.ts';
import type { Found, Install, RepoFacts } from './repo-facts.ts';

/** What a repository seems to need and to have. */
export interface DetectedProject {
  /** How a fresh worktree becomes usable; null: nothing has to be done, or nothing is known. */
  workspace: WorkspaceSetup | null;
  /** What speaks for the set-up, e.g. `your checkout has node_modules`. */
  reasons: string[];
  gates: DetectedGate[];
  /** What the user should know, in whole sentences. */
  warnings: string[];
}

/**
 * Finds set-up and gates of a repository. What the checkout has installed is taken over first, since that is known to work and
 * needs no network; else what a lock file or manifest names is installed. Folders of build results (`target`, `build`)
 * are never taken over: what is judged would be judged with what an earlier build made. Pure.
 */
export function detectProject(repo: RepoFacts): DetectedProject {
  const nested = nestedRepos(repo);
  const found = [
    ...needsOf(withoutNested(repo)),
    ...nested.flatMap(({ folder, facts }) =>
      needsOf(facts).map((each) => needsIn(folder, each, facts.names)),
    ),
  ];
  const needs = found.flatMap((each) => each.needs);
  const gates = allGates(repo, nested);
  const symlink = [...new Set(needs.flatMap(({ folders }) => folders))];
  const installs = needs.flatMap(({ install }) => (install === null ? [] : [install]));
  const workspace =
    needs.length === 0
      ? null
      : workspaceSetup.parse({ symlink, ...(installs.length > 0 ? joined(installs) : {}) });
  return {
    workspace,
    reasons: [...new Set(needs.map(({ reason }) => reason))],
    gates,
    warnings: [...found.flatMap((each) => each.warnings), ...missingTools(repo, gates)],
  };
}

const needsOf = (repo: RepoFacts): Found[] => [nodeNeeds(repo), pythonNeeds(repo), otherNeeds(repo)];

/** Gates of the top folder, and of the packages below it unless the top folder has a program that tests the whole. */
function allGates(repo: RepoFacts, nested: readonly { folder: string; facts: RepoFacts }[]): DetectedGate[] {
  const own = gatesOf(withoutNested(repo));
  if (own.some(({ program }) => testsTheWhole.has(program))) return own;
  return [
    ...own,
    ...nested.flatMap(({ folder, facts }) => gatesOf(facts).map((each) => gateIn(folder, each))),
  ];
}

const testsTheWhole: ReadonlySet<string> = new Set(['make', 'just', 'task', 'bazel', 'tox']);

/** One command that runs several installations, one after the other. */
function joined(installs: readonly Install[]): { setup: string[]; inputs?: string[] } {
  const [only] = installs;
  const isOne = installs.length === 1 && only !== undefined;
  const setup = isOne
    ? [...only.command]
    : ['sh', '-c', installs.map(({ command }) => shellText(command)).join(' && ')];
  const isKnown = isOne && only.inputs === null;
  return isKnown ? { setup } : { setup, inputs: installs.flatMap(({ inputs }) => [...(inputs ?? [])]) };
}

/** Commands of the tables above hold plain words, or a script for the shell as the third. */
function shellText(command: readonly string[]): string {
  const script = command[0] === 'sh' ? (command[2] ?? '') : command.join(' ');
  return script.startsWith('cd ') ? `(${script})` : script;
}

function missingTools(repo: RepoFacts, gates: readonly DetectedGate[]): string[] {
  return [...new Set(gates.map(({ program }) => program))]
    .filter((program) => !program.includes('/') && !repo.tools.includes(program))
    .map((program) => `${program} is not in PATH: the gates that run it are red until it is.`);
}
