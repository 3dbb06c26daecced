import type { WorkspaceSetup } from '@baton/contracts';
import { isReal, runScript, scriptsOf } from './node-gates.ts';
import { scriptRunner } from './node.ts';
import { listed, type RepoFacts } from './repo-facts.ts';
import { yamlList } from './setup-line.ts';

interface Told {
  facts: RepoFacts;
  configured: WorkspaceSetup | null;
  outputs: readonly string[];
}

const programs = /cannot be run: (\S+) was not found/g;
/** What a shell says of a program that it does not find; `sh` is another program on each system. */
const unknownToShell = /\b(?:ba|da|a|k)?sh: (?:(?:line )?\d+: )?(\S+): (?:command )?not found/g;
const refused = [
  /ECONNREFUSED\s+(\S+:\d+)/g,
  /connection to server at "([^"]+)"[^\n]*?port (\d+) failed: Connection refused/gi,
  /dial tcp (\S+:\d+): connect: connection refused/g,
];
const modules = /No module named '?([\w.]+)/g;

/**
 * What helps beside a set-up: programs to install, services to start, packages to add to an environment that is taken over, and a
 * build that belongs into the gate. `isKnown`: something else is known to be missing, so that what was not found may come with it.
 */
export function hintsFor(
  { facts, configured, outputs }: Told,
  { folders, isKnown }: { folders: readonly string[]; isKnown: boolean },
): string[] {
  const text = outputs.join('\n');
  const missing = [
    ...new Set([
      ...found(text, programs),
      ...outputs.flatMap((output) =>
        found(output, unknownToShell).filter((name) => !isKnown || isOfGate(name, output)),
      ),
    ]),
  ];
  const services = refused.flatMap((pattern) => found(text, pattern));
  const venv = configured?.symlink.find((folder) => /(^|\/)\.?v?env$/.test(folder));
  const unknown = isKnown ? [] : [...new Set(found(text, modules).map((name) => name.split('.')[0] ?? name))];
  const own = unknown.filter((name) => Object.hasOwn(facts.pythonPackages ?? {}, name));
  const absent = venv === undefined ? [] : unknown.filter((name) => !own.includes(name));
  return [
    ...(missing.length === 0 ? [] : [`install ${listed(missing)}`]),
    ...(services.length === 0 ? [] : [`start what the gate could not reach: ${listed(services)}`]),
    ...(absent.length === 0
      ? []
      : [`install ${listed(absent)} into ${venv ?? ''} of your checkout, which worktrees take over`]),
    ...ownHint(facts, own),
    ...(folders.length === 0 ? [] : buildHint(facts, text)),
  ];
}

/** A package of the repository that its tests do not find: worktrees need it installed, or its folder on the path. */
function ownHint(facts: RepoFacts, own: readonly string[]): string[] {
  const [first] = own;
  if (first === undefined) return [];
  const folders = [...new Set(own.map((name) => facts.pythonPackages?.[name] ?? '.'))];
  const canInstall = ['pyproject.toml', 'setup.py', 'setup.cfg'].some((name) => facts.names.includes(name));
  const what = `${listed(own)}, which this repository holds in ${listed(folders.map((each) => (each === '.' ? 'its top folder' : each)))}`;
  const line = `command: [env, ${JSON.stringify(`PYTHONPATH=${folders.join(':')}`)}, …]`;
  return canInstall
    ? [`install ${what}, in the set-up (\`pip install .\`), or name the folder in the gate: \`${line}\``]
    : [`let the gate find ${what}: \`${line}\``];
}

/** Whether the command itself names a program, and not a script that a set-up may bring: the output begins with the command. */
const isOfGate = (name: string, output: string): boolean =>
  (output.split('\n')[0] ?? '').split(/[\s"]+/).includes(name);

/** A folder of results that a gate misses: another gate built it, or the checkout once. */
function buildHint(facts: RepoFacts, text: string): string[] {
  const scripts = scriptsOf(facts.texts['package.json']);
  if (!isReal(scripts['build']) || !isReal(scripts['test'])) return [];
  const runner = scriptRunner(facts);
  if (text.includes(runScript(runner, 'build').join(' '))) return []; // the gate builds already
  const script = `${runScript(runner, 'build').join(' ')} && ${runScript(runner, 'test').join(' ')}`;
  const line = `command: ${yamlList(['sh', '-c', script])}`;
  return [`build in the gate itself, since each begins without what others made: \`${line}\``];
}

function found(text: string, pattern: RegExp): string[] {
  return [
    ...new Set(
      [...text.matchAll(pattern)].map(([, ...groups]) =>
        groups.filter((each) => each !== undefined).join(':'),
      ),
    ),
  ];
}
