import { describe, expect, it } from 'vitest';
import { phrasesIn, proseOf } from '../src/rules/prose.ts';
import { lowerCeilings, wordProblems } from '../src/rules/words.ts';

const place = (file: string, line = 1) => ({ file, line, phrase: 'anew' });

describe('prose', () => {
  it('of a page is all but its code', () => {
    const page = '# It stands\n```sh\nnobody\n```\n`shall` and who\never tells';
    expect(phrasesIn(proseOf('a.md', page))).toEqual([
      { line: 1, phrase: 'stands' },
      { line: 6, phrase: 'tells' },
    ]);
  });

  it.each([
    ['the run is failed', 'is failed'],
    ['Did approve 2 tasks.', 'did approve'],
    ['The work waits for your word.', 'your word'],
  ])('finds what is no English: %s', (text, phrase) => {
    expect(phrasesIn(proseOf('a.ts', `say('${text}');`))).toEqual([{ line: 1, phrase }]);
  });

  it('of a source is its comments and strings', () => {
    const source = [
      "const tells = shall; // It's done anew.",
      '/** Whoever\n * is told. */',
      "const text = 'goes on';",
      'const more = `for ${ever}\nfor ever`;',
    ].join('\n');
    expect(phrasesIn(proseOf('a.ts', source)).map(({ line, phrase }) => `${line} ${phrase}`)).toEqual([
      '1 anew',
      '2 whoever',
      '3 is told',
      '4 goes on',
      '6 for ever',
    ]);
  });

  it('of a test file is its titles', () => {
    const test = [
      "it('stands', () => { expect('shall').toBe('nobody'); }); // anew",
      "it.each([['tells']])('goes on %s', () => {});",
    ].join('\n');
    expect(phrasesIn(proseOf('a.test.ts', test)).map(({ phrase }) => phrase)).toEqual(['stands', 'goes on']);
  });
});

describe('words', () => {
  const recent = new Set(['new.md']);

  it('hold when every phrase is used as often as its ceiling says', () => {
    expect(wordProblems('documents', { places: [place('a.md')], ceilings: { anew: 1 }, recent })).toEqual([]);
  });

  it('fail above a ceiling, with the places of changed files first', () => {
    const places = [place('a.md', 3), place('new.md', 7)];
    expect(wordProblems('documents', { places, ceilings: { anew: 1 }, recent })).toEqual([
      'documents: "anew" 2 times, at most 1 allowed',
      'new.md:7: "anew"',
      'a.md:3: "anew"',
    ]);
    expect(wordProblems('documents', { places, ceilings: {}, recent })[0]).toContain('at most 0');
  });

  it('name at most 20 places', () => {
    const places = Array.from({ length: 30 }, (_, index) => place('a.md', index + 1));
    expect(wordProblems('documents', { places, ceilings: {}, recent })).toHaveLength(21);
  });

  it('fail below a ceiling until it is lowered, and no ceiling is ever raised', () => {
    const places = [place('a.md')];
    expect(wordProblems('documents', { places, ceilings: { anew: 2 }, recent })).toEqual([
      'documents: "anew" only 1 times, 2 allowed: `pnpm check words --fix`',
    ]);
    expect(lowerCeilings(places, { anew: 2, shall: 1 })).toEqual({ anew: 1 });
    expect(lowerCeilings([place('a.md'), place('b.md')], { anew: 1 })).toEqual({ anew: 1 });
  });
});
