import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import ts from 'typescript';

import {
  fsWriters,
  gitWriter,
  placeName,
  type CrashCatalogue,
  type SourceFunction,
} from './crash-points-names.ts';

/** Names under which programs other than git are started. */
const starters = new Set(['exec', 'spawn', 'openGuarded', 'startChild', 'execFile', 'run']);

/** What the catalogue is made of. */
export interface CatalogueOptions {
  root: string;
  /** Folders of production code, relative to the root. */
  folders: readonly string[];
  statements: Record<string, boolean>;
  /** Names of points that the text alone does not tell. */
  more?: readonly string[];
}

/**
 * Lists, from the text of the production code alone, all points at which it can write, start or signal something.
 * What a run passes is named in the same way, so that points no run ever reached can be listed.
 */
export function crashCatalogue({ root, folders, statements, more = [] }: CatalogueOptions): CrashCatalogue {
  const files: CrashCatalogue['files'] = {};
  const points = new Set([
    ...Object.entries(statements).flatMap(([name, isReadonly]) => (isReadonly ? [] : [`pg:${name}`])),
    ...more,
  ]);
  for (const folder of folders) {
    for (const file of sourcesUnder(path.join(root, folder))) {
      const relative = path.relative(root, file);
      const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
      const functions = functionsOf(source);
      files[relative] = functions;
      for (const { kind, line } of effectsOf(source))
        points.add(`${kind} ${placeName(relative, functions, line)}`);
    }
  }
  return { root, files, points: [...points].sort(), statements };
}

function sourcesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.includes('generated'))
    .map((name) => path.join(folder, name))
    .sort();
}

function functionsOf(source: ts.SourceFile): SourceFunction[] {
  const found: SourceFunction[] = [];
  const lineOf = (at: number) => source.getLineAndCharacterOfPosition(at).line + 1;
  const visit = (node: ts.Node): void => {
    const name = functionName(node, source);
    if (name !== null)
      found.push({ name, firstLine: lineOf(node.getStart(source)), lastLine: lineOf(node.end) });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function functionName(node: ts.Node, source: ts.SourceFile): string | null {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node))
    return node.name?.getText(source) ?? null;
  const isNamed = ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node);
  if (!isNamed || node.initializer === undefined) return null;
  const { initializer } = node;
  return ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer)
    ? node.name.getText(source)
    : null;
}

/** Calls that change something, with the line they stand on. */
function effectsOf(source: ts.SourceFile): { kind: string; line: number }[] {
  const found: { kind: string; line: number }[] = [];
  const fromFs = importedFrom(source, /^(node:)?fs(\/promises)?$/);
  const lineOf = (node: ts.Node) => source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const kind = callKind(node, { fromFs, source });
      if (kind !== null) found.push({ kind, line: lineOf(node) });
    }
    if (ts.isArrayLiteralExpression(node)) {
      const words = node.elements.map((element) => (ts.isStringLiteral(element) ? element.text : ''));
      const writer = isGit(source.fileName) && isArguments(node) ? gitWriter(words) : null;
      if (writer !== null) found.push({ kind: `git:${writer}`, line: lineOf(node) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const isGit = (file: string) => /packages\/(spawner|janitor)\/src\//.test(file) && !/acp/.test(file);

/** A list at the top of a file or one that is walked through is no command line. */
function isArguments(node: ts.ArrayLiteralExpression): boolean {
  if (ts.isForOfStatement(node.parent)) return false;
  for (let around: ts.Node = node; !ts.isSourceFile(around); around = around.parent)
    if (ts.isFunctionLike(around)) return true;
  return false;
}

function callKind(
  node: ts.CallExpression,
  { fromFs, source }: { fromFs: ReadonlyMap<string, string>; source: ts.SourceFile },
): string | null {
  const callee = node.expression;
  const name = ts.isIdentifier(callee)
    ? callee.text
    : ts.isPropertyAccessExpression(callee)
      ? callee.name.text
      : '';
  const fsName = ts.isIdentifier(callee) ? fromFs.get(name)?.replace(/Sync$/, '') : undefined;
  if (fsName !== undefined && fsWriters.includes(fsName)) return `fs:${fsName}`;
  if (callee.getText(source) === 'process.kill')
    return node.arguments[1]?.getText(source) === '0' ? null : 'kill';
  const first = node.arguments[0];
  // A regular expression's `exec` takes one argument.
  const isProgram = first !== undefined && node.arguments.length > 1 && starters.has(name);
  const isOurs =
    importedFrom(source, /child_process$|\/exec\.ts$|agent-process\.ts$/).has(name) || name === 'exec';
  return isProgram && isOurs && !/\/(exec|git|object-reader)\.ts$/.test(source.fileName) ? 'spawn' : null;
}

function importedFrom(source: ts.SourceFile, module: RegExp): Map<string, string> {
  const names = new Map<string, string>();
  for (const statement of source.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const bindings = statement.importClause?.namedBindings;
    if (
      !module.test(statement.moduleSpecifier.text) ||
      bindings === undefined ||
      !ts.isNamedImports(bindings)
    )
      continue;
    for (const { name, propertyName } of bindings.elements) names.set(name.text, (propertyName ?? name).text);
  }
  return names;
}
