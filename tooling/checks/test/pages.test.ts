import { describe, expect, it } from 'vitest';
import { anchorsOf, citationsIn, citesSection } from '../src/rules/citations.ts';
import { linkProblems, relativeLinks } from '../src/rules/links.ts';
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
    expect(relativeLinks(page)).toEqual([
      { file: 'docs/a.md', anchor: null },
      { file: 'b.png', anchor: null },
      { file: 'c.md', anchor: 'part' },
      { file: '', anchor: 'here' },
    ]);
  });

  it('name headings as GitHub does', () => {
    const page =
      '# The `fsm-core`\n## A [link](x.md), twice\n```sh\n# no heading\n```\n## A link, twice\n### Ä_b (c)';
    expect(anchorsOf(page)).toEqual(['the-fsm-core', 'a-link-twice', 'a-link-twice-1', 'ä_b-c']);
  });

  it('in a page lead to a file and to a heading of it', () => {
    const page =
      '# Here\n[a](spec/store.md#fences) [b](spec/store.md#nowhere) [c](gone.md) [d](#here) [e](#there)';
    expect(linkProblems('docs/page.md', page)).toEqual([
      'docs/page.md: docs/spec/store.md has no heading #nowhere',
      'docs/page.md: gone.md does not exist',
      'docs/page.md: docs/page.md has no heading #there',
    ]);
    expect(
      linkProblems('a.md', 'see `docs/spec/store.md#fences`, `docs/spec/store.md#no` and `docs/x.md`'),
    ).toEqual(['a.md: docs/spec/store.md has no heading #no']);
  });
});

describe('citations', () => {
  it('are pages named in comments of TypeScript and SQL, not in code', () => {
    const source = [
      '/** Why. Source: docs/spec/store.md#fences. */',
      ' * see (docs/errors.md)',
      "const file = 'docs/code.md'; // docs/spec/landing.md#lanes",
      '-- README.md, docs/machines/<id>.md',
    ].join('\n');
    expect(citationsIn(source)).toEqual([
      { file: 'docs/spec/store.md', anchor: 'fences' },
      { file: 'docs/errors.md', anchor: null },
      { file: 'docs/spec/landing.md', anchor: 'lanes' },
      { file: 'README.md', anchor: null },
    ]);
  });

  it.each([
    ['a page that is not there', '// Source: store.md.', 'a/b.ts: store.md does not exist'],
    [
      'a heading that is not there',
      '-- docs/spec/store.md#no-such',
      'a/b.ts: docs/spec/store.md has no heading #no-such',
    ],
    [
      'a section by its number',
      '/** Source: docs/spec/store.md \u00a73. */',
      'a/b.ts: a comment cites a section by number; cite page and heading',
    ],
  ])('are refused for %s', (_, comment, problem) => {
    expect(linkProblems('a/b.ts', comment)).toEqual([problem]);
    expect(linkProblems('a/b.ts', '// docs/spec/store.md#fences, README.md')).toEqual([]);
  });

  it('by number are found in comments alone', () => {
    expect(citesSection("const text = '\u00a7';")).toBe(false);
    expect(citesSection(' * \u00a73')).toBe(true);
  });
});

describe('manifests', () => {
  const good = { license: 'Apache-2.0', type: 'module', engines: { node: '>=22.18' } };
  const member = { name: 'janitor', private: true };

  it('are fine with exact versions and dependencies downwards', () => {
    const dependencies = { '@baton/contracts': 'workspace:*', zod: 'catalog:', picomatch: '4.0.7' };
    expect(manifestProblems(member, { ...good, dependencies })).toEqual([]);
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
    expect(manifestProblems(member, { ...good, ...change })).toEqual([problem]);
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
