import { listed, type Found, type Need, type RepoFacts } from './repo-facts.ts';

const requirementFiles = [
  'requirements.txt',
  'requirements-dev.txt',
  'requirements-test.txt',
  'dev-requirements.txt',
  'test-requirements.txt',
] as const;
const manifests = ['pyproject.toml', 'setup.py', 'setup.cfg', 'Pipfile', 'tox.ini', ...requirementFiles];

/** Files by which pip knows a project that it can install. */
const projectFiles = ['pyproject.toml', 'setup.py', 'setup.cfg'] as const;

/** The virtual environment of the checkout that can be taken over, e.g. `.venv`; null: there is none. */
export function venvOf(repo: RepoFacts): string | null {
  return venvsOf(repo).find((folder) => repo.unfit[folder] === undefined) ?? null;
}

/** What a Python repository needs in a fresh worktree: its virtual environment is taken over, else made. */
export function pythonNeeds(repo: RepoFacts): Found {
  const venv = venvOf(repo);
  const warnings = venvsOf(repo).flatMap((folder) =>
    repo.unfit[folder] === undefined ? [] : [`${folder} is not taken over: it ${repo.unfit[folder]}.`],
  );
  if (!usesPython(repo) && venv === null) return { needs: [], warnings: [] };
  const several = lockTools.filter(({ lock }) => repo.names.includes(lock));
  const tool = lockToolOf(repo);
  if (several.length > 1 && tool !== null)
    warnings.push(
      `There are several lock files (${listed(several.map(({ lock }) => lock))}): ${tool.name} is taken, since ${tool.why}.`,
    );
  if (venv !== null)
    return { needs: [{ folders: [venv], install: null, reason: `your checkout has ${venv}` }], warnings };
  const need = tool === null ? pipNeed(repo) : lockNeed(tool);
  if (need === null) return { needs: [], warnings };
  const program = tool?.name ?? (isTox(repo) ? 'tox' : 'python3');
  if (isMisled(repo))
    warnings.push(
      `python3 of PATH imports the source of this checkout (${repo.pythonSource}): worktrees get an environment of their own.`,
    );
  if (!repo.tools.includes(program)) {
    warnings.push(`${program} is not in PATH, so nothing makes the virtual environment (${need.reason}).`);
    return { needs: [], warnings };
  }
  return { needs: [need], warnings };
}

/** Whether there is Python in a folder, of a repository or of a package below its top. */
export function usesPython(repo: RepoFacts): boolean {
  return (
    [...manifests, 'pytest.ini', 'conftest.py'].some((name) => repo.names.includes(name)) ||
    Object.keys(repo.texts).some((name) => name.endsWith('.py'))
  );
}

/** Whether the program of PATH would run the gates, and judge the checkout in place of the work. */
function isMisled(repo: RepoFacts): boolean {
  return (
    repo.pythonSource !== undefined && venvOf(repo) === null && lockToolOf(repo) === null && !isTox(repo)
  );
}

/** The program that tests are run with: that of the environment which the set-up takes over or makes. */
export function pythonCommand(repo: RepoFacts): string[] {
  const venv = venvOf(repo);
  if (venv !== null) return [`${venv}/bin/python`];
  const tool = lockToolOf(repo);
  if (tool !== null) return [tool.name, 'run', 'python'];
  return pipNeed(repo) !== null && !isTox(repo) ? ['.venv/bin/python'] : ['python3'];
}

/** Whether tox is what makes the environments: nothing else says what the tests need. */
export function isTox(repo: RepoFacts): boolean {
  const hasTox = repo.names.includes('tox.ini') || /\[tool\.tox\b/.test(repo.texts['pyproject.toml'] ?? '');
  const others = requirementFiles.some((name) => repo.names.includes(name));
  return hasTox && !others && lockToolOf(repo) === null && venvOf(repo) === null;
}

function venvsOf(repo: RepoFacts): string[] {
  return repo.installed.filter((folder) => /^(\.venv|venv|\.env|env)$/.test(folder));
}

interface LockTool {
  name: 'uv' | 'poetry' | 'pipenv';
  lock: string;
  manifest: string;
  install: readonly string[];
}

const lockTools: readonly LockTool[] = [
  { name: 'uv', lock: 'uv.lock', manifest: 'pyproject.toml', install: ['uv', 'sync', '--frozen'] },
  {
    name: 'poetry',
    lock: 'poetry.lock',
    manifest: 'pyproject.toml',
    install: ['env', 'POETRY_VIRTUALENVS_IN_PROJECT=true', 'poetry', 'install', '--no-interaction'],
  },
  {
    name: 'pipenv',
    lock: 'Pipfile.lock',
    manifest: 'Pipfile',
    install: ['env', 'PIPENV_VENV_IN_PROJECT=1', 'pipenv', 'sync', '--dev'],
  },
];

function lockToolOf(repo: RepoFacts): (LockTool & { why: string }) | null {
  const present = lockTools.filter(({ lock }) => repo.names.includes(lock));
  const text = repo.texts['pyproject.toml'] ?? '';
  const named = present.find(({ name }) => new RegExp(String.raw`^\[tool\.${name}\b`, 'm').test(text));
  if (named !== undefined) return { ...named, why: `pyproject.toml has settings of ${named.name}` };
  const [first] = present;
  return first === undefined ? null : { ...first, why: `of several, ${first.lock} comes first` };
}

function lockNeed({ install, lock, manifest }: LockTool): Need {
  return {
    folders: [],
    install: { command: install, inputs: [manifest, lock] },
    reason: `there is a ${lock}`,
  };
}

/** pip has no lock file: an environment is made of what requirement files, or else the project itself, name. */
function pipNeed(repo: RepoFacts): Need | null {
  if (isTox(repo))
    return {
      folders: [],
      install: { command: ['tox', 'run', '--notest'], inputs: ['tox.ini', 'pyproject.toml'] },
      reason: 'there is a tox.ini',
    };
  const files = requirementFiles.filter((name) => repo.names.includes(name));
  const named = files.map((name) => `-r ${name}`);
  const own = projectFiles.filter((name) => repo.names.includes(name));
  const needsOwn = own.length > 0 && (isMisled(repo) || (files.length === 0 && namesPackages(repo)));
  const what = [...named, ...(needsOwn ? [`-e ${extraOf(repo)}`] : [])];
  if (what.length === 0 && !isMisled(repo)) return null;
  if (isMisled(repo) && usesPytest(repo) && !namesPytest(repo, files)) what.push('pytest');
  const install = what.length === 0 ? '' : ` && .venv/bin/python -m pip install ${what.join(' ')}`;
  const script = `python3 -m venv .venv${install}`;
  const inputs = [...files, ...(needsOwn ? own : [])];
  return {
    folders: [],
    install: { command: ['sh', '-c', script], inputs },
    reason: inputs[0] === undefined ? 'python3 of PATH imports your checkout' : `there is a ${inputs[0]}`,
  };
}

/** Whether the project says what it needs: packages of its own, or an extra for its tests. */
function namesPackages(repo: RepoFacts): boolean {
  const project = repo.texts['pyproject.toml'] ?? '';
  const older = repo.texts['setup.cfg'] ?? '';
  return (
    /^dependencies\s*=\s*\[\s*[^\s\]]/m.test(project) ||
    /^install_requires\s*=\s*\S/m.test(older) ||
    extraOf(repo) !== '.'
  );
}

function usesPytest({ names, texts }: RepoFacts): boolean {
  return (
    ['pytest.ini', 'conftest.py'].some((name) => names.includes(name)) ||
    Object.values(texts).some((text) => /\bpytest\b|^(async )?def test_/m.test(text))
  );
}

/** Whether what pip installs names pytest. */
function namesPytest({ texts }: RepoFacts, files: readonly string[]): boolean {
  return [...files, 'pyproject.toml', 'setup.cfg'].some((name) =>
    /^[^#\n]*\bpytest\b(?!\.ini_options|\])/m.test(texts[name] ?? ''),
  );
}

/** The project, with the extra that its tests need. */
function extraOf({ texts }: RepoFacts): string {
  const extras = [
    tableOf(texts['pyproject.toml'], 'project.optional-dependencies'),
    tableOf(texts['setup.cfg'], 'options.extras_require'),
    tableOf(texts['pyproject.toml'], 'project').replace(/^optional-dependencies\s*(\.\s*|=\s*\{\s*)/gm, ''),
  ].join('\n');
  const extra = ['test', 'tests', 'testing', 'dev'].find((name) =>
    new RegExp(String.raw`^["']?${name}["']?\s*=`, 'm').test(extras),
  );
  return extra === undefined ? '.' : `'.[${extra}]'`;
}

/** The lines of a table of a TOML or INI file. */
function tableOf(text: string | undefined, name: string): string {
  const lines = (text ?? '').split(/\r?\n/);
  const isHead = (line: string): boolean => /^\[+\s*[\w."' -]+(:[^\]]*)?\s*\]+\s*(#.*)?$/.test(line);
  const from = lines.findIndex((line) => isHead(line) && line.replace(/[[\]\s]|#.*/g, '') === name);
  if (from === -1) return '';
  const end = lines.findIndex((line, at) => at > from && isHead(line));
  return lines.slice(from + 1, end === -1 ? undefined : end).join('\n');
}
