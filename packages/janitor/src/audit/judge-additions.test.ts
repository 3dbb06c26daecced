import { expect, it } from 'vitest';
import { dependencyRules } from '@baton/contracts';
import { plain, shownAddress, type Dependency } from './dependency.ts';
import { isOneEdit, judgeAdditions } from './judge-additions.ts';
import { isAllowed } from './licence.ts';
import { reportAudit } from './report-audit.ts';

const rules = (given: object = {}) => dependencyRules.parse(given);
const npm = (name: string, more: Partial<Dependency> = {}) =>
  plain('npm', name, { version: '1.0.0', integrity: true, ...more });
const of = (url: string, kind: Dependency['source']['kind'] = 'registry') => ({ source: { kind, url } });

/** What is held against one addition to a target with these packages. */
function found(added: Dependency, before: Dependency[] = [], given: object = {}): string[] {
  const direct = before.map(({ ecosystem, name }) => ({ ecosystem, name }));
  return judgeAdditions({ before, direct, added: [added] }, rules(given))[0]?.findings ?? ['none'];
}

it('licences are read as expressions: AND before OR, exceptions and later versions add to what is allowed', () => {
  const allowed = ['MIT', 'Apache-2.0', 'GPL-2.0-only WITH Classpath-exception-2.0'];
  const answers = {
    MIT: true,
    mit: true,
    'Apache-2.0+': true,
    'GPL-3.0-only': false,
    'MIT OR GPL-3.0-only': true,
    'MIT AND GPL-3.0-only': false,
    'MIT OR GPL-3.0-only AND ISC': true,
    '(MIT OR GPL-3.0-only) AND ISC': false,
    'MIT AND (GPL-3.0-only OR (Apache-2.0))': true,
    'GPL-2.0-only WITH Classpath-exception-2.0': true,
    'GPL-2.0-only': false,
    'MIT WITH Some-exception': true,
    UNLICENSED: false,
    'SEE LICENSE IN terms.txt': null,
    'MIT OR': null,
    'OR MIT': null,
    '(MIT': null,
    'MIT)': null,
    'MIT Apache-2.0': null,
    '': null,
  };
  for (const [text, answer] of Object.entries(answers)) expect(isAllowed(text, allowed), text).toBe(answer);
});

it('a licence that is too long to be one is none, however it is nested', () => {
  for (const text of [`${'('.repeat(200_000)}MIT`, `${'('.repeat(600)}MIT${')'.repeat(600)}`])
    expect(isAllowed(text, ['MIT'])).toBeNull();
  expect(isAllowed(`${'('.repeat(50)}MIT${')'.repeat(50)}`, ['MIT'])).toBe(true);
});

it('a licence counts only where licences are named, and a version bump keeps what was taken before', () => {
  const licences = { licences: ['MIT'] };
  expect(found(npm('a'))).toEqual([]);
  expect(found(npm('a'), [], licences)).toEqual(['its licence is not known']);
  expect(found(npm('a', { licence: 'MIT' }), [], licences)).toEqual([]);
  expect(found(npm('a', { licence: 'GPL-3.0-only' }), [], licences)).toEqual([
    'its licence GPL-3.0-only is not allowed',
  ]);
  const before = [npm('a', { version: '0.9.0', licence: 'GPL-3.0-only' })];
  expect(found(npm('a', { licence: 'GPL-3.0-only' }), before, licences)).toEqual([]);
  expect(found(npm('a', { licence: 'AGPL-3.0-only' }), before, licences)).toHaveLength(1);
  expect(found(npm('a'), before, licences)).toEqual([]);
});

it('another source than the usual registry is named without what people log in with, unless it is allowed or not new', () => {
  const usual = of('https://registry.npmjs.org/a/-/a-1.0.0.tgz');
  const own = of('https://user:secret@npm.example.org/a/-/a-1.0.0.tgz?token=x');
  expect(found(npm('a', usual))).toEqual([]);
  expect(found(npm('a', own))).toEqual(['it comes from https://npm.example.org/a/-/a-1.0.0.tgz']);
  expect(found(npm('a', own), [], { sources: ['https://npm.example.org'] })).toEqual([]);
  expect(found(npm('a', own), [], { sources: ['https://npm.example'] })).toHaveLength(1);
  expect(found(npm('a', of('https://registry.npmjs.org.evil.example/a.tgz')))).toHaveLength(1);
  expect(found(npm('a', of('http://registry.npmjs.org/a/-/a-1.0.0.tgz')))).toHaveLength(1);
  const git = (rev: string) => of(`git+https://example.org/a.git#${rev}`, 'git');
  expect(found(npm('a', git('two')), [npm('a', git('one'))])).toEqual([]);
  expect(found(npm('a', git('two')), [npm('a', usual)])).toEqual(['it comes from https://example.org/a.git']);
  expect(shownAddress('ssh://git:pw@host/x')).toBe('ssh://host/x');
});

it('a missing hash is named, where others of its kind have one', () => {
  expect(found(npm('a', { integrity: false }))).toEqual(['no hash of its content is kept']);
  expect(found(npm('a', { integrity: null }))).toEqual([]);
  expect(found(npm('a', { integrity: false }), [npm('a', { version: '0', integrity: true })])).toHaveLength(
    1,
  );
  expect(found(npm('a', { integrity: false }), [npm('a', { version: '0', integrity: false })])).toEqual([]);
});

it('a new name that is one edit away from a known one is flagged, but no other version and no package of the same scope', () => {
  const edits = {
    lodahs: true,
    lodas: true,
    lodashh: true,
    lodaxh: true,
    lodash: false,
    ldoahs: false,
    lo: false,
  };
  for (const [name, is] of Object.entries(edits)) expect(isOneEdit(name, 'lodash'), name).toBe(is);
  expect(isOneEdit('abc', 'abd')).toBe(false);
  expect(found(npm('lodahs'), [npm('lodash')])).toEqual(['its name is one edit away from lodash']);
  expect(found(npm('lodash', { version: '2.0.0' }), [npm('lodash')])).toEqual([]);
  expect(found(npm('@os/linux-x64'), [npm('@os/linux-x32')])).toEqual([]);
  expect(found(npm('@type/node'), [npm('@types/node')])).toHaveLength(1);
  expect(found(plain('PyPI', 'lodahs'), [npm('lodash')])).toEqual([]);
  expect(found(npm('other', { alias: 'lodash' }), [npm('lodash')])).toEqual([
    'it is used under the name of lodash',
  ]);
});

it('the rules decide: what is new, what is flagged and what cannot be read', () => {
  const decide = (given: object, { isNew = true, findings = [] as string[], unread = false } = {}) =>
    reportAudit(
      {
        additions: [{ dependency: npm('a'), isNew, findings }],
        unread: unread ? [{ path: 'package-lock.json', why: 'it is no JSON object' }] : [],
      },
      rules(given),
    );
  expect(decide({})).toMatchObject({ decision: 'allow', reason: 'adds 1 new dependency' });
  expect(decide({}, { isNew: false }).reason).toBe('adds 1 other version of known ones');
  expect(decide({ new: 'hold' })).toMatchObject({
    decision: 'hold',
    reason: 'new dependencies: npm a 1.0.0',
  });
  expect(decide({ new: 'hold' }, { isNew: false }).decision).toBe('allow');
  expect(decide({ new: 'refuse' }).decision).toBe('refuse');
  expect(decide({}, { findings: ['why'] })).toMatchObject({
    decision: 'hold',
    reason: 'dependencies with something against them: npm a 1.0.0 (why)',
  });
  expect(decide({ flagged: 'refuse' }, { findings: ['why'] }).decision).toBe('refuse');
  expect(decide({ flagged: 'allow' }, { findings: ['why'] }).decision).toBe('allow');
  expect(decide({ flagged: 'allow', new: 'hold' }, { findings: ['why'] }).decision).toBe('hold');
  expect(decide({}, { unread: true })).toMatchObject({
    decision: 'hold',
    reason:
      'dependencies with something against them: package-lock.json cannot be read (it is no JSON object)',
  });
  expect(decide({}).list).toBe('npm a 1.0.0: new · usual registry · hash · licence not named');
});
