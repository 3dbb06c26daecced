import { describe, expect, it } from 'vitest';
import { placeFault, readDiff } from './place-fault.ts';

const diffOf = (hunk: string) => `--- a/packages/p/x.ts\n+++ b/packages/p/x.ts\n@@ -1,3 +1,3 @@\n${hunk}`;
const place = (text: string, hunk: string) => placeFault(text, readDiff(diffOf(hunk))[0]?.places ?? []);
const hunk = ' const a = 1;\n-if (a > 1) go();\n+if (a > 0) go();\n end();\n';

describe('a planted fault finds its place', () => {
  it('by the lines that it replaces, wherever they stand and whatever is around them by now', () => {
    expect(place('// new\nconst other = 2;\nif (a > 1) go();\nfinish();\n', hunk)).toEqual({
      text: '// new\nconst other = 2;\nif (a > 0) go();\nfinish();\n',
    });
  });

  it('by the lines around them where the same lines are found more than once', () => {
    const text = 'first();\nif (a > 1) go();\nend();\nconst a = 1;\nif (a > 1) go();\nend();\n';
    expect(place(text, hunk)).toEqual({
      text: 'first();\nif (a > 1) go();\nend();\nconst a = 1;\nif (a > 0) go();\nend();\n',
    });
    expect(place(`${text}${text}`, hunk)).toEqual({
      misfit: 'its lines are in 2 places: if (a > 1) go();',
    });
  });

  it('by the lines around it where it only adds some', () => {
    const added = ' start();\n+extra();\n end();\n';
    expect(place('start();\nend();\n', added)).toEqual({ text: 'start();\nextra();\nend();\n' });
    expect(place('start();\nmore();\nend();\n', added)).toEqual({
      misfit: 'its lines are nowhere: start();',
    });
  });

  it('not where one of its lines has changed', () => {
    expect(place('const a = 1;\nif (a > 2) go();\nend();\n', hunk)).toEqual({
      misfit: 'its lines are nowhere: if (a > 1) go();',
    });
  });
});

it('a patch changes existing files, several if need be', () => {
  const both = `${diffOf(hunk)}${diffOf(hunk).replaceAll('x.ts', 'y.ts')}`;
  expect(readDiff(both).map(({ path }) => path)).toEqual(['packages/p/x.ts', 'packages/p/y.ts']);
  expect(() => readDiff('--- /dev/null\n+++ b/packages/p/x.ts\n@@ -0,0 +1 @@\n+a\n')).toThrow(
    /existing file/,
  );
});
