// The rules that need types. Run by `pnpm check lint`; editors read it too.
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const testFiles = ['**/*.test.ts', '**/*.test-d.ts', '**/test/**/*.ts'];
const sleeps = 'Await a state instead of sleeping: tests that sleep are slow and flaky.';

const shape = [
  { selector: 'ExportDefaultDeclaration', message: 'Export by name.' },
  { selector: 'ExportAllDeclaration', message: 'List what is exported, one name at a time.' },
];
const ambient = [
  {
    selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
    message: 'Take the time from the Clock that is passed in.',
  },
  {
    selector: 'CallExpression[callee.name="Date"]',
    message: 'Take the time from the Clock that is passed in.',
  },
];
const ambientProperties = [
  { object: 'Date', property: 'now', message: 'Take the time from the Clock that is passed in.' },
  { object: 'performance', property: 'now', message: 'Take the time from the Clock that is passed in.' },
  { object: 'process', property: 'hrtime', message: 'Take the time from the Clock that is passed in.' },
  { object: 'Math', property: 'random', message: 'Randomness is passed in.' },
  { object: 'crypto', property: 'randomUUID', message: 'Take ids from the Ids that are passed in.' },
];
const environment = {
  object: 'process',
  property: 'env',
  message: 'Only apps/*/src/env.ts reads the environment; everything else is given what it needs.',
};
const randomIds = {
  name: 'node:crypto',
  importNames: ['randomUUID', 'randomInt'],
  message: 'Ids and randomness are passed in; only secrets are drawn where they are made.',
};
const mocks = [
  {
    object: 'vi',
    property: 'mock',
    message: 'Pass in what should differ; modules of our own are never mocked.',
  },
  {
    object: 'vi',
    property: 'doMock',
    message: 'Pass in what should differ; modules of our own are never mocked.',
  },
];

export default defineConfig(
  globalIgnores([
    '**/dist/**',
    '**/generated/**',
    '**/fixtures/**',
    '**/*.mjs',
    '**/*.js',
    '**/*.cjs',
    'docs/**',
  ]),
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.base],
    languageOptions: {
      parserOptions: {
        project: 'tooling/tsconfig/all.json',
        tsconfigRootDir: import.meta.dirname,
      },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/max-params': ['error', { max: 3 }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        {
          ignoreRestSiblings: true,
          argsIgnorePattern: '^_',
          destructuredArrayIgnorePattern: '^_',
          varsIgnorePattern: '^_',
        },
      ],
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/prefer-promise-reject-errors': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: false },
      ],
      eqeqeq: 'error',
      'no-console': 'off',
      'no-restricted-syntax': ['error', ...shape],
      'no-restricted-properties': ['error', environment],
      'no-var': 'error',
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx', 'hack'], location: 'anywhere' }],
      'prefer-const': 'error',
    },
  },
  {
    // Production code gets time, randomness and ids passed in; the files named here are where they come from.
    files: ['packages/*/src/**/*.ts', 'apps/*/src/**/*.ts'],
    ignores: [...testFiles, '**/clock.ts', '**/ids.ts', '**/system.ts', 'packages/testkit/**'],
    rules: {
      'no-restricted-syntax': ['error', ...shape, ...ambient],
      'no-restricted-properties': ['error', environment, ...ambientProperties],
      'no-restricted-imports': ['error', { paths: [randomIds] }],
    },
  },
  {
    // The kernel's operations are (machine, snapshot, event or target, options), as its users know them from peers.
    files: ['packages/fsm-core/src/**/*.ts'],
    rules: { '@typescript-eslint/max-params': ['error', { max: 4 }] },
  },
  {
    files: testFiles,
    rules: {
      '@typescript-eslint/max-params': 'off',
      'no-restricted-properties': ['error', ...mocks],
    },
  },
  {
    files: ['**/*.test.ts'],
    rules: {
      'no-restricted-imports': ['error', { paths: [{ name: 'node:timers/promises', message: sleeps }] }],
      'no-restricted-syntax': [
        'error',
        ...shape,
        {
          selector:
            'CallExpression[callee.property.name=/^(skip|only|todo)$/][callee.object.name=/^(it|test|describe)$/]',
          message: 'A test that does not run shows nothing.',
        },
        {
          selector: 'NewExpression[callee.name="Promise"] CallExpression[callee.name="setTimeout"]',
          message: sleeps,
        },
      ],
    },
  },
  {
    files: ['apps/*/src/env.ts', 'tooling/**/*.ts', 'packages/testkit/**/*.ts', 'examples/**/*.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    // Tools demand default exports of their configuration.
    files: ['**/*.config.ts', 'vitest.shared.ts'],
    rules: { 'no-restricted-syntax': 'off', 'no-restricted-properties': 'off' },
  },
);
