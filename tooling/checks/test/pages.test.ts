import { describe, expect, it } from 'vitest';
import { relativeLinks } from '../src/rules/links.ts';
import { manifestProblems } from '../src/rules/manifests.ts';

describe('links', () => {
  it('are those to files of the repository, outside of code', () => {
    const page = [
      '[a](docs/a.md) ![b](b.png "title") [c](c.md#part) [d](https://example.com) [e](#here)',
      '`[f](f.md)`',
      '```md',
      '[g](g.md)',
      '```',
    ].join('\n');
    expect(relativeLinks(page)).toEqual(['docs/a.md', 'b.png', 'c.md']);
  });
});

describe('manifests', () => {
  const good = { license: 'Apache-2.0', type: 'module', engines: { node: '>=22.18' } };
  const room = { name: 'janitor', private: true };

  it('are fine with exact versions and dependencies downwards', () => {
    const dependencies = { '@baton/contracts': 'workspace:*', zod: 'catalog:', picomatch: '4.0.7' };
    expect(manifestProblems(room, { ...good, dependencies })).toEqual([]);
  });

  it.each([
    ['a range', { dependencies: { picomatch: '^4.0.7' } }, 'picomatch ^4.0.7 is no exact version'],
    [
      'a neighbour',
      { dependencies: { '@baton/spawner': 'workspace:*' } },
      'janitor may not depend on spawner',
    ],
    ['another licence', { license: 'MIT' }, '"license" is not Apache-2.0'],
    ['an old Node', { engines: { node: '>=18' } }, '"engines.node" is not >=22.18'],
  ])('are refused for %s', (_, change, problem) => {
    expect(manifestProblems(room, { ...good, ...change })).toEqual([problem]);
  });

  it('are refused when a public package publishes other entries than it exports, or its sources', () => {
    const published = {
      ...good,
      exports: { '.': {}, './x': {} },
      publishConfig: { exports: { '.': { '@baton/source': './src' } } },
    };
    expect(manifestProblems({ name: 'janitor', private: false }, published)).toHaveLength(2);
  });
});
