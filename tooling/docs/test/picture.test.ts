import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  importedRooms,
  levelOf,
  mayImport,
  renderPicture,
  roomImports,
  root,
  workspacePackages,
} from '../src/index.ts';

describe('the picture of the packages', () => {
  const page = readFileSync(path.join(root, 'docs/architecture.md'), 'utf8');
  const mermaid = /```mermaid\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  const drawn = [...mermaid.matchAll(/^ {2}(\S+) --> (\S+)$/gm)].map(([, from, to]) => `${from} → ${to}`);

  it('has an arrow for every real import between packages, and no other', () => {
    expect(drawn.sort()).toEqual(
      roomImports()
        .map(({ from, to }) => `${from} → ${to}`)
        .sort(),
    );
    expect(drawn.length).toBeGreaterThan(workspacePackages().length);
  });

  it('shows every package on a level', () => {
    for (const { name } of workspacePackages()) {
      expect(levelOf(name), `${name} is on no level of tooling/docs/src/layers.ts`).toBeDefined();
      expect(mermaid).toMatch(new RegExp(`^ {4}${name}$`, 'm'));
    }
  });

  it('has no arrow that points up or sideways', () => {
    expect(roomImports().filter(({ from, to }) => !mayImport(from, to))).toEqual([]);
  });
});

describe('reading imports', () => {
  it('sees static, type-only, re-exported and dynamic imports, and subpaths', () => {
    const source = `
      import { a } from '@baton/contracts';
      import type { B } from '@baton/fsm-core';
      export { c } from '@baton/spawner/conformance';
      const d = await import('@baton/plugins');
      // import '@baton/janitor'
    `;
    expect(importedRooms(source)).toEqual(['contracts', 'fsm-core', 'spawner', 'plugins']);
  });

  it('draws levels from the top and arrows below them', () => {
    const picture = renderPicture(
      ['contracts', 'fsm-core'],
      [{ from: 'contracts', to: 'fsm-core', files: [] }],
    );
    expect(picture.indexOf('contracts')).toBeLessThan(picture.indexOf('fsm-core'));
    expect(picture).toContain('  contracts --> fsm-core');
  });
});
