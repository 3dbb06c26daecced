import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { root, workspacePackages, sources } from '../src/index.ts';

// Code, not links: a package's README is read on npm, too, where there are no sources.
it.each(workspacePackages().map((member) => [member.folder, Math.min(3, sources(member).length)] as const))(
  'the README of %s says where things are, by paths that exist',
  (folder, fewest) => {
    const page = readFileSync(path.join(root, folder, 'README.md'), 'utf8');
    const section = page.split(/^## /m).find((part) => part.startsWith('Where things are\n')) ?? '';
    const within = [...section.matchAll(/`(src\/[^`*]+)`/g)].map(([, file = '']) => path.join(folder, file));
    const above = [...section.matchAll(/`(docs\/[^`#]+)/g)].map(([, file = '']) => file);
    expect(within.length).toBeGreaterThanOrEqual(fewest);
    expect([...within, ...above].filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  },
);
