import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '@baton/docs';
import ts from 'typescript';
import { repositoryFiles } from '../files.ts';
import type { Rule } from '../rule.ts';

const cap = 60;
const listFile = 'tooling/checks/long-functions.json';

/** Lines of each function that is longer than the cap, by `file#name`. */
export type Lengths = Readonly<Record<string, number>>;

/** No function of production code is longer than a screen. The list of those that are may only shrink. */
export const functionLength: Rule = {
  name: 'function-length',
  what: `no function is longer than ${cap} lines, but for those of ${listFile}, which may only shrink`,
  check: async () => lengthProblems(await longFunctions(), readList()),
  async fix() {
    const list = readList();
    const shrunk = shrinkList(await longFunctions(), list);
    if (JSON.stringify(shrunk) === JSON.stringify(list)) return [];
    writeFileSync(path.join(root, listFile), `${JSON.stringify(shrunk, null, 2)}\n`);
    return [listFile];
  },
};

/** What differs from the list: functions that are new on it or longer, and entries that can shrink. */
export function lengthProblems(found: Lengths, list: Lengths): string[] {
  return Object.keys({ ...list, ...found })
    .sort()
    .flatMap((name) => {
      const lines = found[name] ?? 0;
      const allowed = list[name] ?? 0;
      if (lines > allowed) return [`${name}: ${lines} lines, at most ${Math.max(cap, allowed)} allowed`];
      return lines < allowed
        ? [
            `${name}: ${lines === 0 ? 'short or gone' : `${lines} lines`}: \`pnpm check function-length --fix\``,
          ]
        : [];
    });
}

/** The list brought down to what is there; nothing is added. */
export function shrinkList(found: Lengths, list: Lengths): Lengths {
  const kept = Object.entries(list).flatMap(([name, allowed]) =>
    found[name] === undefined ? [] : [[name, Math.min(allowed, found[name])] as const],
  );
  return Object.fromEntries(kept);
}

/** Lines of each named function of one source text that is longer than the cap; one inside another counts for both. */
export function longFunctionsOf(file: string, text: string): Lengths {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lineAt = (position: number) => source.getLineAndCharacterOfPosition(position).line;
  const lengths: Record<string, number> = {};
  const visit = (node: ts.Node): void => {
    const lines = lineAt(node.end) - lineAt(node.getStart()) + 1;
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined && lines > cap) {
      const key = `${file}#${nameOf(node)}`;
      lengths[key] = Math.max(lengths[key] ?? 0, lines);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return lengths;
}

function nameOf(node: ts.SignatureDeclaration): string {
  const owner =
    node.name ??
    (ts.isVariableDeclaration(node.parent) || ts.isPropertyAssignment(node.parent) ? node.parent.name : null);
  return owner === null ? 'anonymous' : owner.getText();
}

async function longFunctions(): Promise<Lengths> {
  const files = (await repositoryFiles(/^(packages|apps)\/[^/]+\/src\/.*\.tsx?$/)).filter(
    (file) => !/\.test(-d)?\.tsx?$/.test(file),
  );
  const each = files.map((file) => longFunctionsOf(file, readFileSync(path.join(root, file), 'utf8')));
  return Object.assign({}, ...each) as Lengths;
}

function readList(): Lengths {
  return JSON.parse(readFileSync(path.join(root, listFile), 'utf8')) as Lengths;
}
