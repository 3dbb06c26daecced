import type { Gate } from '@baton/contracts';

/** What the detection looks at: names in the repository's top folder, and the text of the manifests among them. */
export interface RepoManifests {
  names: readonly string[];
  /** By name, e.g. `package.json`; a file that is missing or unreadable has no entry. */
  texts: Readonly<Record<string, string>>;
}

/** A gate that a repository seems to have, and what speaks for it. */
export interface DetectedGate {
  gate: Gate;
  /** E.g. `package.json has the script "lint"`. */
  reason: string;
}

/** Manifests whose text {@link gatesOf} reads. */
export const manifestNames = [
  'package.json',
  'pyproject.toml',
  'setup.cfg',
  'requirements-dev.txt',
  'Makefile',
  'makefile',
  'GNUmakefile',
] as const;

const testTimeoutMs = 1_200_000;
const otherTimeoutMs = 600_000;

/** The usual gates of a repository, quick ones first (landing.md §1). Pure: decides from the manifests alone. */
export function gatesOf(repo: RepoManifests): DetectedGate[] {
  const found = [
    ...nodeGates(repo),
    ...pythonGates(repo),
    ...goGates(repo),
    ...rustGates(repo),
    ...mavenGates(repo),
  ];
  const named = found.map((each, at) => {
    const taken = found.slice(0, at).some((other) => other.gate.name === each.gate.name);
    return taken
      ? { ...each, gate: { ...each.gate, name: `${each.gate.name}-${each.gate.command[0]}` } }
      : each;
  });
  return named.some(({ gate }) => gate.name === 'tests') ? named : [...named, ...makeGates(repo)];
}

const scriptGates = [
  { name: 'lint', scripts: ['lint'] },
  { name: 'types', scripts: ['typecheck', 'type-check', 'check-types', 'tsc'] },
  { name: 'build', scripts: ['build'] },
  { name: 'tests', scripts: ['test'] },
] as const;

function nodeGates(repo: RepoManifests): DetectedGate[] {
  const scripts = readScripts(repo.texts['package.json']);
  const manager = managerOf(repo.names);
  return scriptGates.flatMap(({ name, scripts: wanted }) => {
    const script = wanted.find((each) => typeof scripts[each] === 'string' && !isPlaceholder(scripts[each]));
    if (script === undefined) return [];
    const command = script === 'test' ? [manager, 'test'] : [manager, 'run', script];
    return [
      detected(
        { name, command: manager === 'bun' ? ['bun', 'run', script] : command },
        `package.json has the script "${script}"`,
      ),
    ];
  });
}

function pythonGates(repo: RepoManifests): DetectedGate[] {
  const config = ['pytest.ini', 'conftest.py'].find((name) => repo.names.includes(name));
  const text = ['pyproject.toml', 'setup.cfg', 'requirements-dev.txt'].find((name) =>
    /\bpytest\b/.test(repo.texts[name] ?? ''),
  );
  const evidence = config === undefined ? text : config;
  if (evidence === undefined) return [];
  const command = repo.names.includes('uv.lock') ? ['uv', 'run', 'pytest'] : ['python3', '-m', 'pytest'];
  return [
    detected(
      { name: 'tests', command },
      config === undefined ? `${evidence} names pytest` : `there is a ${evidence}`,
    ),
  ];
}

function goGates(repo: RepoManifests): DetectedGate[] {
  if (!repo.names.includes('go.mod')) return [];
  const reason = 'there is a go.mod';
  return [
    detected({ name: 'lint', command: ['go', 'vet', './...'] }, reason),
    detected({ name: 'tests', command: ['go', 'test', './...'] }, reason),
  ];
}

function rustGates(repo: RepoManifests): DetectedGate[] {
  return repo.names.includes('Cargo.toml')
    ? [detected({ name: 'tests', command: ['cargo', 'test'] }, 'there is a Cargo.toml')]
    : [];
}

function mavenGates(repo: RepoManifests): DetectedGate[] {
  if (!repo.names.includes('pom.xml')) return [];
  const program = repo.names.includes('mvnw') ? './mvnw' : 'mvn';
  return [detected({ name: 'tests', command: [program, '--batch-mode', 'test'] }, 'there is a pom.xml')];
}

function makeGates(repo: RepoManifests): DetectedGate[] {
  const name = ['GNUmakefile', 'makefile', 'Makefile'].find((each) =>
    /^test\s*:(?!=)/m.test(repo.texts[each] ?? ''),
  );
  return name === undefined
    ? []
    : [detected({ name: 'tests', command: ['make', 'test'] }, `${name} has the target "test"`)];
}

function detected(gate: { name: string; command: string[] }, reason: string): DetectedGate {
  return {
    gate: { ...gate, required: true, timeout: gate.name === 'tests' ? testTimeoutMs : otherTimeoutMs },
    reason,
  };
}

/** What `npm init` writes: it always fails, and says so. */
function isPlaceholder(script: string | undefined): boolean {
  return /no test specified/i.test(script ?? '') || (script ?? '').trim() === '';
}

function managerOf(names: readonly string[]): string {
  if (names.includes('pnpm-lock.yaml')) return 'pnpm';
  if (names.includes('yarn.lock')) return 'yarn';
  return names.includes('bun.lock') || names.includes('bun.lockb') ? 'bun' : 'npm';
}

function readScripts(manifest: string | undefined): Readonly<Record<string, string | undefined>> {
  try {
    const parsed = JSON.parse(manifest ?? '{}') as { scripts?: unknown } | null;
    return typeof parsed?.scripts === 'object' && parsed.scripts !== null
      ? (parsed.scripts as Record<string, string>)
      : {};
  } catch {
    return {};
  }
}
