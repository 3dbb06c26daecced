import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '@baton/docs';
import { repositoryFiles } from '../files.ts';
import type { Rule } from '../rule.ts';

/** A relative link in a page leads to a file. */
export const links: Rule = {
  name: 'links',
  what: 'every relative link and picture in a Markdown page leads to a file',
  async check() {
    const pages = (await repositoryFiles(/\.md$/)).filter((file) => !file.includes('fixtures/'));
    return pages.flatMap((page) =>
      relativeLinks(readFileSync(path.join(root, page), 'utf8'))
        .filter((link) => !existsSync(path.join(root, path.dirname(page), link)))
        .map((link) => `${page}: ${link} does not exist`),
    );
  },
};

/** Targets of links and pictures that stand in the same repository, without fragments; code is not looked at. */
export function relativeLinks(page: string): string[] {
  const text = page.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');
  return [...text.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)]
    .map((match) => (match[1] ?? '').replace(/#.*$/, ''))
    .filter((link) => link !== '' && !/^[a-z][a-z0-9+.-]*:/i.test(link) && !link.startsWith('/'))
    .map(decodeURIComponent);
}
