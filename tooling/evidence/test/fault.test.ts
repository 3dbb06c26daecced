import { describe, expect, it } from 'vitest';
import { chosenFaults, faultOf } from '../src/campaigns/mutants/fault.ts';

const diff = `--- a/packages/fsm-core/src/decide.ts
+++ b/packages/fsm-core/src/decide.ts
@@ -1,1 +1,1 @@
-old
+new
`;

describe('a planted fault', () => {
  it('says what goes wrong, who owns it and which tests must notice', () => {
    const text = `fault: stale snapshots move\ntests: src/a.test.ts  src/b.test.ts\n\n${diff}`;
    expect(faultOf('stale', text)).toEqual({
      name: 'stale',
      fault: 'stale snapshots move',
      owner: 'packages/fsm-core',
      tests: ['src/a.test.ts', 'src/b.test.ts'],
      patch: diff,
    });
  });

  it('may be a bare diff: then all tests of the package look for it, and it goes by its file', () => {
    expect(faultOf('stale', diff)).toMatchObject({ fault: 'stale', tests: [], patch: diff });
  });

  it('is refused by name when it changes no package', () => {
    const elsewhere = diff.replaceAll('packages/fsm-core/src/decide.ts', 'README.md');
    expect(() => faultOf('elsewhere', elsewhere)).toThrow(/elsewhere\.patch is no unified diff/);
    expect(() => faultOf('empty', 'fault: nothing\n')).toThrow(/empty\.patch/);
  });
});

it('chooses faults by how their names begin, by whole parts', () => {
  const faults = ['store-paths-slash', 'store-paths-dot', 'storehouse-x', 'janitor-merge-dry'].map((name) =>
    faultOf(name, '--- a/packages/p/x.ts\n+++ b/packages/p/x.ts\n'),
  );
  const names = (only?: string[]) => chosenFaults(faults, only).map(({ name }) => name);
  expect(names()).toHaveLength(4);
  expect(names(['store'])).toEqual(['store-paths-slash', 'store-paths-dot']);
  expect(names(['store/paths/dot', 'janitor'])).toEqual(['store-paths-dot', 'janitor-merge-dry']);
});
