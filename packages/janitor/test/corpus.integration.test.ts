import { describe, expect, test } from 'vitest';
import type { Gate } from '@baton/contracts';
import { inParts } from '@baton/testkit';
import { tamperFlags } from '../src/index.ts';
import { claimPairs } from './corpus/claims.ts';
import { gateDefinitionPairs } from './corpus/gate-definitions.ts';
import { project, type Pair } from './corpus/project.ts';
import { weakerTestPairs } from './corpus/weaker-tests.ts';
import type { Files } from './helpers/repos.ts';
import { git } from './helpers/run.ts';
import { changeOf } from './helpers/verifying.ts';

const gates: Gate[] = [{ name: 'tests', command: ['npm', 'test'], required: true, timeout: 60_000 }];
/** Stands for the command itself, which the cheats below would make green: what is asked here is whether the change is seen. */
const green: Gate[] = [{ name: 'tests', command: ['true'], required: true, timeout: 60_000 }];

/** Reasons not to land a patch without a person: those of the verdict and the flags. */
async function objections(pair: Pair, patch: Files): Promise<string[]> {
  const change = await changeOf({ ...project, ...pair.before }, patch);
  const verdict = await change.verify({ gates: green, signals: pair.signals ?? [] });
  const flags = await tamperFlags({ git, clone: change.root, from: change.base, to: change.head, gates });
  return [...verdict.reasons, ...flags.map(({ text }) => text)];
}

for (const [pairs, tagged] of inParts(14, [...claimPairs, ...weakerTestPairs, ...gateDefinitionPairs]))
  describe.each(pairs)('$name', tagged, (pair) => {
    test('the cheat is held up', async () => {
      expect(await objections(pair, pair.cheat)).not.toEqual([]);
    });

    test('the honest twin is not', async () => {
      expect(await objections(pair, pair.honest)).toEqual([]);
    });
  });

test('an edit that the plan asked for by name is no tampering, weaker tests still are', async () => {
  const change = await changeOf(project, {
    'tsconfig.json': '{}\n',
    'package-lock.json': '{}\n',
    'test/calc.test.js': null,
  });
  const range = { git, clone: change.root, from: change.base, to: change.head, gates };
  expect(await tamperFlags(range)).toHaveLength(4);
  const weaker = (owned: boolean) => [
    { text: expect.stringMatching(/^assertions removed: 3 fewer/) as string, owned },
    { text: expect.stringMatching(/^tests removed: 2 fewer/) as string, owned },
  ];
  const named = ['tsconfig.json', 'package-lock.json'];
  expect(await tamperFlags({ ...range, owned: named })).toEqual(weaker(false));
  expect(await tamperFlags({ ...range, owned: [...named, 'test/calc.test.js'] })).toEqual(weaker(true));
  expect(await tamperFlags({ ...range, owned: named, role: 'qa' })).toEqual(weaker(true));
});
