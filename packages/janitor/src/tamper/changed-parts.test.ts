import { describe, expect, test } from 'vitest';
import { changed } from '../../test/helpers/changed-file.ts';
import { gateLines } from './gate-files.ts';
import { isHarmless } from './harmless-settings.ts';
import { newlyHidden } from './hidden-paths.ts';

const preset = '{ "testPresets": [{ "name": "ci", "filter": { "exclude": { "name": "a" } } }] }';
const mix = '    [app: :shop, deps: deps(), elixirc_options: [warnings_as_errors: true]]';
const composer = '{\n  "scripts": { "ci": ["@phpunit"], "phpunit": "phpunit" }\n}';
const project = '{ "name": "a", "targets": { "test": { "executor": "@nx/vite:test" } } }';
const image = 'FROM node\nRUN npm ci\nRUN npm test\nCMD ["node"]';
const compose = 'services:\n  tests:\n    command: npm test';

describe('of a line that names a gate, only what is changed in it counts', () => {
  test.each<[path: string, text: string, from: string, other: string, gate: string]>([
    [
      'CMakePresets.json',
      preset,
      '"name": "ci",',
      '"name": "ci", "output": { "verbosity": "default" },',
      '"name": "ci", "index": 3,',
    ],
    ['CMakePresets.json', preset, '"ci"', '"main"', '"ci", "noTestsAction": "ignore"'],
    ['CMakePresets.json', preset, '"a"', '"a"', '"b"'],
    [
      'mix.exs',
      mix,
      'deps: deps(),',
      'deps: deps(), description: "A shop",',
      'deps: deps(), test_paths: ["spec"],',
    ],
    ['mix.exs', mix, ':shop', ':store', ':shop, aliases: []'],
    [
      'composer.json',
      composer,
      '"phpunit" }',
      '"phpunit",\n    "serve": "php -S localhost:80" }',
      '"phpunit || exit 0" }',
    ],
    [
      'packages/a/project.json',
      project,
      '"targets": {',
      '"targets": { "serve": { "executor": "b" },',
      '"targets": { "lint": { "executor": "nx:noop" },',
    ],
    ['Dockerfile', image, 'CMD', 'USER node\nCMD', 'RUN npm test || true\nCMD'],
    ['Dockerfile', image, 'RUN npm test', 'RUN npm test -- --coverage', 'RUN true'],
    ['compose.test.yml', compose, 'services:', 'name: shop\nservices:', 'volumes:\n  a: {}\nservices:'],
    [
      '.storybook/main.ts',
      "export default { stories: ['../src/**'] };",
      '{',
      "{ addons: ['a'],",
      "{ tags: ['b'],",
    ],
  ])('%s: %s', (path, text, from, other, gate) => {
    const after = (now: string) => ({ before: text, after: text.replace(from, now) });
    expect(gateLines(changed(path, after(other)))).toEqual([]);
    expect(gateLines(changed(path, after(gate)))).not.toEqual([]);
  });
});

test.each<[path: string, text: string, from: string, stricter: string, looser: string]>([
  [
    'tsconfig.json',
    '{ "compilerOptions": { "strict": true } }',
    'true }',
    'true, "noUnusedLocals": true }',
    'true, "skipLibCheck": true }',
  ],
  ['vitest.config.ts', 'export default {\n  test: {\n    allowOnly: true,\n  },\n};', 'true', 'false', '!!1'],
  [
    'deno.json',
    '{ "tasks": { "test": "deno test" } }',
    '"test"',
    '"start": "deno run a.ts", "test"',
    '"test": "true", "other"',
  ],
])(
  'settings that only ask for more are harmless, those that ask for less are not: %s',
  (path, text, from, stricter, looser) => {
    expect(isHarmless(changed(path, { before: text, after: text.replace(from, stricter) }))).toBe(true);
    expect(isHarmless(changed(path, { before: text, after: text.replace(from, looser) }))).toBe(false);
  },
);

test.each<[path: string, hiding: string[], fine: string[]]>([
  [
    '.gitignore',
    ['*_test.go', 'tests/', '__snapshots__/', '*.spec.ts'],
    ['*.log', 'coverage/', 'test-results/', 'tests/tmp/', '.pytest_cache/'],
  ],
  [
    '.gitattributes',
    ['tests/** -diff', '*.test.ts linguist-generated', '*_spec.rb binary'],
    ['*.sh text eol=lf', '*.png binary', '*.snap linguist-generated'],
  ],
])(
  'patterns in %s that would hide tests to come are flagged, those of what is built are not',
  (path, hiding, fine) => {
    const of = (text: string) =>
      newlyHidden(changed(path, { before: 'dist/', after: `dist/\n${text}` }), ['src/a.ts']);
    expect(hiding.filter((text) => of(text).length === 0)).toEqual([]);
    expect(fine.filter((text) => of(text).length > 0)).toEqual([]);
  },
);
