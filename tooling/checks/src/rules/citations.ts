/** A page that is pointed to, with the heading as it appears in a link, or null for the page as a whole. */
export interface Target {
  file: string;
  anchor: string | null;
}

/** A page below the root, or one beside the file that cites it, and a heading of it. */
const citation = /(?<![\w/.<>{}-])((?:[\w.-]+\/)*[\w.-]+\.md)(?:#([\w-]+))?(?![\w/<>{}])/g;

/**
 * The pages that comments of a source file cite, written as paths from the root: `docs/spec/store.md#which-tries-count`. A comment
 * is told by how its line begins, or by `//` within it, which is enough for a source that the formatter wrote.
 */
export function citationsIn(source: string): Target[] {
  return commentsIn(source).flatMap((comment) => citationsOf(comment));
}

/** The citations in a text, whether they stand in code spans or not. */
export function citationsOf(text: string): Target[] {
  return [...text.matchAll(citation)].map(([, file = '', anchor]) => ({ file, anchor: anchor ?? null }));
}

/** Whether a comment cites a section by its number: that leads nowhere once a page is rearranged. */
export function citesSection(source: string): boolean {
  return commentsIn(source).some((comment) => comment.includes('§'));
}

function commentsIn(source: string): string[] {
  return source.split('\n').flatMap((line) => {
    const [, , comment] = /(^\s*(?:\/\*\*?|\*|\/\/|--)|\s\/\/\s)(.*)$/.exec(line) ?? [];
    return comment === undefined ? [] : [comment];
  });
}

/** The headings of a Markdown page as links name them: lower case, words joined by hyphens, a repeated one numbered. */
export function anchorsOf(page: string): string[] {
  const seen = new Map<string, number>();
  return [...withoutFences(page).matchAll(/^#{1,6} +(.+?) *#*$/gm)].map(([, heading = '']) => {
    const anchor = slug(heading);
    const before = seen.get(anchor) ?? 0;
    seen.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
}

/** A page without its blocks of code. */
export function withoutFences(page: string): string {
  return page.replace(/^```[\s\S]*?^```/gm, '');
}

function slug(heading: string): string {
  return heading
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}
