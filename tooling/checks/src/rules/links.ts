import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '@baton/docs';
import { repositoryFiles } from '../files.ts';
import type { Rule } from '../rule.ts';
import {
  anchorsOf,
  citationsIn,
  citationsOf,
  citesSection,
  withoutFences,
  type Target,
} from './citations.ts';

/** What is not ours to write, and migrations that were released, which stay as they are. */
const left = /(^|\/)(fixtures|generated|migrations)\//;

/** A relative link in a page, and a citation in a comment, leads to a file and to a heading of it. */
export const links: Rule = {
  name: 'links',
  what: 'relative links in Markdown and citations in comments lead to files and headings that exist',
  async check() {
    const files = (await repositoryFiles(/\.(md|ts|mjs|js|sql|prisma)$/)).filter((file) => !left.test(file));
    return files.flatMap((file) => linkProblems(file, readFileSync(path.join(root, file), 'utf8')));
  },
};

/** What is wrong with the links of a page, or with the citations in the comments of a source file. */
export function linkProblems(file: string, text: string): string[] {
  if (!file.endsWith('.md'))
    return [
      ...citationsIn(text).flatMap((target) => problemsOf(file, target, ['.', path.dirname(file)])),
      ...(citesSection(text) ? [`${file}: a comment cites a section by number; cite page and heading`] : []),
    ];
  return [
    ...relativeLinks(text).flatMap((target) =>
      target.file === ''
        ? headingProblems(file, { page: file, text, anchor: target.anchor })
        : problemsOf(file, target, [path.dirname(file)]),
    ),
    ...citationsOf(withoutFences(text))
      .filter((target) => target.file.startsWith('docs/spec/'))
      .flatMap((target) => problemsOf(file, target, ['.', path.dirname(file)])),
  ];
}

/** Targets of links and pictures that stand in the same repository; code is not looked at. */
export function relativeLinks(page: string): Target[] {
  const text = withoutFences(page).replace(/`[^`\n]*`/g, '');
  return [...text.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)]
    .map((match) => match[1] ?? '')
    .filter((link) => !/^[a-z][a-z0-9+.-]*:/i.test(link) && !link.startsWith('/'))
    .map((link) => {
      const [file = '', anchor = null] = decodeURIComponent(link).split('#');
      return { file, anchor };
    });
}

function problemsOf(from: string, { file, anchor }: Target, folders: readonly string[]): string[] {
  const page = folders
    .map((folder) => path.join(folder, file))
    .find((place) => existsSync(path.join(root, place)));
  if (page === undefined) return [`${from}: ${file} does not exist`];
  if (anchor === null || !page.endsWith('.md')) return [];
  return headingProblems(from, { page, text: readFileSync(path.join(root, page), 'utf8'), anchor });
}

function headingProblems(
  from: string,
  { page, text, anchor }: { page: string; text: string; anchor: string | null },
): string[] {
  if (anchor === null || anchorsOf(text).includes(anchor)) return [];
  return [`${from}: ${page} has no heading #${anchor}`];
}
