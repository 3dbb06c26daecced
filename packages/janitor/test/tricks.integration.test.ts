import { describe, expect, test } from 'vitest';
import { inParts } from '@baton/testkit';
import { tamperFlags } from '../src/index.ts';
import { project } from './corpus/project.ts';
import { trickPairs } from './corpus/tricks.ts';
import type { Files } from './helpers/repos.ts';
import { git } from './helpers/run.ts';
import { changeOf } from './helpers/verifying.ts';

async function flags(before: Files | undefined, patch: Files): Promise<string[]> {
  const change = await changeOf({ ...project, ...before }, patch);
  const gates = [{ name: 'tests', command: ['npm', 'test'], required: true, timeout: 60_000 }];
  const found = await tamperFlags({ git, clone: change.root, from: change.base, to: change.head, gates });
  return found.map(({ text }) => text);
}

for (const [pairs, tagged] of inParts(9, trickPairs))
  describe.each(pairs)('$name', tagged, (pair) => {
    test('the cheat is flagged', async () => {
      expect(await flags(pair.before, pair.cheat)).not.toEqual([]);
    });

    test('the honest twin is not', async () => {
      expect(await flags(pair.before, pair.honest)).toEqual([]);
    });
  });
