import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importProblems } from '../src/rules/imports.ts';

/** A small repository; each file is named after the rule that it breaks, or `fine`. */
const files: Record<string, string> = {
  'packages/contracts/src/index.ts': `export const fine = 1;`,
  'packages/contracts/src/upward.ts': `import '@baton/spawner';`,
  'packages/spawner/src/index.ts': `import { fine } from '@baton/contracts'; import 'node:child_process'; export { fine };`,
  'packages/janitor/src/index.ts': `export const fine = 2;`,
  'packages/janitor/src/sideways.ts': `import type { fine } from '@baton/spawner'; export type Fine = typeof fine;`,
  'packages/janitor/src/process.ts': `import { spawn } from 'node:child_process'; export { spawn };`,
  'packages/janitor/src/testing.ts': `import '@baton/testkit';`,
  'packages/janitor/src/fine.test.ts': `import '@baton/testkit'; import 'node:child_process';`,
  'packages/janitor/src/wall.ts': `import '../../contracts/src/upward.ts';`,
  'packages/janitor/src/lost.ts': `import './nowhere.ts';`,
  'packages/janitor/src/circle-a.ts': `import { b } from './circle-b.ts'; export const a = () => b;`,
  'packages/janitor/src/circle-b.ts': `import { a } from './circle-a.ts'; export const b = () => a;`,
  'packages/janitor/src/types-a.ts': `import type { B } from './types-b.ts'; export type A = B | null;`,
  'packages/janitor/src/types-b.ts': `import type { A } from './types-a.ts'; export type B = A[];`,
  'packages/testkit/src/index.ts': `import { fine } from '@baton/contracts'; export { fine };`,
  'apps/worker/src/index.ts': `import { fine } from '@baton/spawner'; import '@baton/janitor'; export { fine };`,
  'apps/worker/src/peer.ts': `import '@baton/server';`,
  'apps/server/src/index.ts': `export const fine = 3;`,
  'apps/worker/src/process/fine.ts': `export const fine = 4;`,
  'apps/worker/src/context/fine.ts': `import { fine } from '../process/fine.ts'; export { fine };`,
  'apps/worker/src/process/upward-in-src.ts': `import '../context/fine.ts';`,
  'apps/worker/src/loop/sideways-in-src.ts': `import '../landing/fine.ts';`,
  'apps/worker/src/landing/fine.ts': `export const fine = 5;`,
  'apps/worker/src/loop/composer.ts': `import '../index.ts';`,
  'apps/worker/src/odd/folder.ts': `import '../process/fine.ts';`,
};

describe('the import rules', () => {
  const folder = mkdtempSync(path.join(realpathSync(os.tmpdir()), 'baton-imports-'));
  let problems: string[] = [];

  beforeAll(async () => {
    mkdirSync(path.join(folder, 'node_modules/@baton'), { recursive: true });
    for (const [file, text] of Object.entries(files)) {
      const [parent = '', member = ''] = file.split('/');
      const target = path.join(folder, parent, member);
      if (file.endsWith('/src/index.ts')) {
        mkdirSync(path.join(target, 'src'), { recursive: true });
        const manifest = {
          name: `@baton/${member}`,
          exports: { '.': { '@baton/source': './src/index.ts' } },
        };
        writeFileSync(path.join(target, 'package.json'), JSON.stringify(manifest));
        symlinkSync(target, path.join(folder, 'node_modules/@baton', member));
      }
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), text);
    }
    problems = await importProblems(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const found = (file: string) => problems.filter((problem) => problem.startsWith(file)).join('\n');

  it.each([
    ['an import upwards', 'packages/contracts/src/upward.ts', 'direction-contracts'],
    ['an import sideways, even of a type', 'packages/janitor/src/sideways.ts', 'direction-janitor'],
    ['apps that import one another', 'apps/worker/src/peer.ts', 'direction-worker'],
    ['the testkit outside tests', 'packages/janitor/src/testing.ts', 'direction-janitor'],
    ['processes outside their owner', 'packages/janitor/src/process.ts', 'owner-processes'],
    ['a path through a wall', 'packages/janitor/src/wall.ts', 'walls'],
    ['an import that leads nowhere', 'packages/janitor/src/lost.ts', 'resolvable'],
    ['files that import each other', 'packages/janitor/src/circle-', 'no-cycle'],
    ['files that import types of each other', 'packages/janitor/src/types-', 'no-cycle'],
    ['a folder that imports a higher one', 'apps/worker/src/process/upward', 'folder-worker-process'],
    ['a folder that imports its neighbour', 'apps/worker/src/loop/sideways', 'folder-worker-loop'],
    ['a folder that imports what composes it', 'apps/worker/src/loop/composer', 'folder-worker-loop'],
    ['a folder without a level', 'apps/worker/src/odd/', 'folder-worker-unknown'],
  ])('refuse %s', (_, file, rule) => {
    expect(found(file)).toContain(`(${rule})`);
  });

  it('let imports downwards, owners and tests be', () => {
    for (const file of [
      'packages/spawner/src/index.ts',
      'packages/janitor/src/fine.test.ts',
      'apps/worker/src/index.ts',
      'packages/testkit/src/index.ts',
      'apps/worker/src/context/fine.ts',
    ]) {
      expect(found(file)).toBe('');
    }
  });
});
