/** How often each phrase occurs. */
export type Counts = Readonly<Record<string, number>>;

/** One phrase to avoid, where it is used. */
export interface Place {
  file: string;
  line: number;
  phrase: string;
}

/** Phrases to avoid, by their names. Source: CONTRIBUTING.md#language. */
const phrases: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['is told', /\b(?:is|are|was|were|be|been|being) told\b/gi],
  ['tells', /\btells\b/gi],
  ['whoever', /\bwho(?:m)?ever\b/gi],
  ['for ever', /\bfor ever\b/gi],
  ['anew', /\banew\b/gi],
  ['shall', /\bshall\b/gi],
  ['nobody', /\bnobody\b/gi],
  ['goes on', /\b(?:goes|go|going|went|gone) on\b/gi],
  ['stands', /\b(?:stands|stood)\b/gi],
  ['meanwhile', /\bmeanwhile\b/gi],
  ['the house', /\b(?:the|one|this) house\b/gi],
  ['your word', /\bwaits? for your word\b/gi],
  ['did approve', /\bDid (?:approve|reject|retry|cancel|pause|resume|merge)\b/g],
  ['is failed', /\b(?:run|task|step|attempt) is failed\b/gi],
];

const token = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;

/** What is before the title of a test or of a group of tests. */
const opensTitle = /(?:\b(?:it|test|describe)(?:\.\w+)*\(|\)\()\s*$/;

/**
 * What people read in a file, everything else blanked out, line breaks kept: of a page all but code; of a source comments and
 * strings; of a test file its titles.
 */
export function proseOf(file: string, text: string): string {
  if (file.endsWith('.md')) return text.replace(/^ *```[\s\S]*?^ *```/gm, blank).replace(/`[^`\n]*`/g, blank);
  const isTest = file.endsWith('.test.ts');
  let prose = '';
  let end = 0;
  for (const match of text.matchAll(token)) {
    const kept = !isTest || opensTitle.test(text.slice(Math.max(0, match.index - 80), match.index));
    prose += blank(text.slice(end, match.index)) + (kept ? match[0] : blank(match[0]));
    end = match.index + match[0].length;
  }
  return prose;
}

/** The phrases to avoid in a text, in its order. */
export function phrasesIn(text: string): Omit<Place, 'file'>[] {
  return phrases
    .flatMap(([phrase, pattern]) => [...text.matchAll(pattern)].map(({ index }) => ({ phrase, index })))
    .sort((a, b) => a.index - b.index)
    .map(({ phrase, index }) => ({ line: text.slice(0, index).split('\n').length, phrase }));
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}
