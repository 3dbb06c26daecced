import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { inputIssues, plan } from '@baton/contracts';
import { parse } from 'yaml';
import { root, workspacePackages } from './workspace-packages.ts';

/** A plan that a page shows to its readers. */
export interface PlanExample {
  /** Page and line of the block, e.g. `README.md:41`. */
  at: string;
  text: string;
}

/** Every YAML block of a page that begins with `name:`, comments aside. */
export function planBlocks(page: string, name: string): PlanExample[] {
  return [...page.matchAll(/^```ya?ml\n([\s\S]*?)^```/gm)]
    .map((match) => ({
      at: `${name}:${page.slice(0, match.index).split('\n').length + 1}`,
      text: match[1] ?? '',
    }))
    .filter(({ text }) => /^(\s*#.*\n|\s*\n)*name:/.test(text));
}

/** Plans shown in README files, docs/ and examples/. */
export function planExamples(): PlanExample[] {
  const inside = (folder: string, pattern: RegExp) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => pattern.test(file) && !file.includes('node_modules'))
      .map((file) => path.join(folder, file))
      .sort();
  const readmes = ['.', ...workspacePackages().map((member) => member.folder)]
    .map((folder) => path.join(folder, 'README.md'))
    .filter((file) => existsSync(path.join(root, file)));
  const pages = [...readmes, ...inside('docs', /\.md$/), ...inside('examples', /\.md$/)];
  const blocks = pages.flatMap((file) => planBlocks(read(file), file));
  const files = inside('examples', /plan[^/]*\.ya?ml$/).map((file) => ({ at: file, text: read(file) }));
  return [...blocks, ...files];
}

/** What the plan schema says against an example; empty when it is a plan. */
export function planProblems(example: PlanExample): string[] {
  const result = plan.safeParse(parse(example.text));
  if (result.success) return [];
  return inputIssues(result.error).map((issue) => `${example.at}: ${issue.path.join('.')}: ${issue.message}`);
}

const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
