import { expect, test } from 'vitest';
import { workspaceSetup } from '@baton/contracts';
import { adviseSetup, type Comparison } from './advise-setup.ts';
import { knownTools } from './repo-facts.ts';
import { setupLine } from './setup-line.ts';

const none: Comparison = {
  facts: {
    names: ['package.json', 'package-lock.json'],
    texts: { 'package.json': '{"devDependencies":{"uvu":"1"}}' },
    installed: [],
    unfit: {},
    marks: [],
    tools: knownTools,
  },
  ignored: [],
  untracked: [],
  configured: null,
  made: [],
  outputs: [],
};
const installed = {
  facts: { ...none.facts, installed: ['node_modules'] },
  ignored: ['node_modules', 'dist', '.env.test'],
};
const line = (given: Partial<Comparison>): string | null => {
  const advice = adviseSetup({ ...none, ...given });
  return advice?.workspace ? setupLine(advice.workspace) : null;
};

test('installed packages of the checkout that the worktree lacks are named, whatever the gate said', () => {
  expect(adviseSetup({ ...none, ...installed, outputs: ['2 tests failed'] })).toMatchObject({
    missing: ['node_modules'],
    uncommitted: [],
  });
  expect(line(installed)).toBe('workspace: { symlink: [node_modules] }');
});

test('the line keeps what is configured', () => {
  const configured = workspaceSetup.parse({ copy: ['.env'], symlink: ['cache'], setup_timeout: 5 });
  expect(line({ ...installed, configured })).toBe(
    'workspace: { setup_timeout: 5, symlink: [cache, node_modules], copy: [.env] }',
  );
});

test('what is configured, or what set-up made, is not missing', () => {
  expect(
    adviseSetup({ ...none, ...installed, configured: workspaceSetup.parse({ symlink: ['node_modules'] }) }),
  ).toBeNull();
  expect(adviseSetup({ ...none, ...installed, made: ['node_modules'] })).toBeNull();
  expect(
    adviseSetup({ ...none, ...installed, made: ['node_modules'], outputs: ['2 tests failed'] }),
  ).toBeNull();
});

test('a program that is not found where the checkout has nothing installed needs an installation', () => {
  const outputs = ['"npm test" ended with exit code 127\nsh: 1: uvu: not found'];
  expect(line({ outputs })).toBe('workspace: { setup: [npm, ci] }');
  expect(line({ outputs: ['2 tests failed'] })).toBeNull();
  const configured = workspaceSetup.parse({ setup: ['true'] });
  expect(adviseSetup({ ...none, outputs, configured })).toMatchObject({
    workspace: null,
    hints: ['install uvu'],
  });
});

test.each<[what: string, given: Partial<Comparison>, hints: string[]]>([
  [
    'a program that is not installed',
    { outputs: ['"mix test" cannot be run: mix was not found; install it\nbaton: 21: mix: not found'] },
    ['install mix'],
  ],
  [
    'a program that a shell does not find, on any system',
    {
      outputs: [
        '"cd svc && just test" ended with exit code 127\nsh: 1: just: not found',
        'bash: line 7: dotnet: command not found\nbash: line 9: dotnet: command not found',
        'sh: task: not found',
        'error: file sh.txt: x: not found',
      ],
    },
    ['install just, dotnet, task'],
  ],
  [
    'the program of a gate where an installation may bring what its script calls',
    {
      facts: none.facts,
      outputs: [
        '"cd svc && just test" ended with exit code 127\nsh: 1: just: not found',
        '"npm test" ended with exit code 127\nsh: 1: uvu: not found',
      ],
    },
    ['install just'],
  ],
  [
    'a service that does not run',
    {
      outputs: [
        'Error: connect ECONNREFUSED 127.0.0.1:6379\nError: connect ECONNREFUSED 127.0.0.1:6379',
        'connection to server at "localhost" (127.0.0.1), port 5432 failed: Connection refused',
        'dial tcp [::1]:9200: connect: connection refused',
      ],
    },
    ['start what the gate could not reach: 127.0.0.1:6379, localhost:5432, [::1]:9200'],
  ],
  [
    'a module that the environment of the checkout lacks',
    {
      outputs: ["ModuleNotFoundError: No module named 'httpx'"],
      configured: workspaceSetup.parse({ symlink: ['.venv'] }),
    },
    ['install httpx into .venv of your checkout, which worktrees take over'],
  ],
  [
    'what another gate builds',
    {
      facts: {
        ...none.facts,
        texts: { 'package.json': '{"scripts":{"build":"tsc","test":"node --test out"}}' },
      },
      ignored: ['out'],
      outputs: ["Could not find '/x/tree/out'"],
    },
    [
      'build in the gate itself, since each begins without what others made: `command: [sh, "-c", "npm run build && npm test"]`',
    ],
  ],
  [
    'nothing of a gate that builds already',
    {
      facts: {
        ...none.facts,
        texts: { 'package.json': '{"scripts":{"build":"tsc","test":"node --test out"}}' },
      },
      ignored: ['out'],
      outputs: ['"npm run build && npm test" ended with exit code 1\n✖ out'],
    },
    [],
  ],
  ['what is unknown', { outputs: ['2 tests failed'] }, []],
])('%s is said', (_what, given, hints) => {
  expect(adviseSetup({ ...none, facts: { ...none.facts, texts: {} }, ...given })?.hints ?? []).toEqual(hints);
});

test('an ignored file that a red gate names is copied, a folder of results only named, a file never committed is said', () => {
  const outputs = [
    "Error: open '/x/tree/.env.test'",
    'no such file: dist/index.js',
    "Cannot find module './lib/new'",
  ];
  const advice = adviseSetup({
    ...none,
    ...installed,
    made: ['node_modules'],
    untracked: ['lib/new.js', 'notes.txt'],
    outputs,
  });
  expect(advice).toMatchObject({ missing: ['dist', '.env.test'], uncommitted: ['lib/new.js'] });
  expect(setupLine(advice?.workspace ?? workspaceSetup.parse({}))).toBe('workspace: { copy: [.env.test] }');
  expect(
    adviseSetup({ ...none, ...installed, made: ['node_modules'], outputs: ['distance is 3'] }),
  ).toBeNull();
});

test('a package of the repository that its tests do not find is installed by the set-up, not by hand', () => {
  const facts = {
    ...{ names: ['pyproject.toml'], texts: {}, installed: [], unfit: {}, marks: [], tools: knownTools },
    pythonPackages: { tiny: 'src' },
  };
  const outputs = ["ModuleNotFoundError: No module named 'tiny.core'"];
  const given = { facts, ignored: [], untracked: [], configured: null, made: [], outputs };
  expect(adviseSetup(given)?.hints).toEqual([
    'install tiny, which this repository holds in src, in the set-up (`pip install .`), or name the folder in the gate: `command: [env, "PYTHONPATH=src", …]`',
  ]);
  expect(adviseSetup({ ...given, outputs: ["No module named 'other'"] })).toBeNull();
});
