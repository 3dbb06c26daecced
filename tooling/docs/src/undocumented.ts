import ts from 'typescript';
import { exportedNames } from './api-program.ts';

/** Exported names without a documentation comment, as `@baton/package: name`. A type read off a schema has the schema's. */
export function undocumented(): string[] {
  const { names, checker } = exportedNames();
  return names
    .filter(({ symbol }) => ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim() === '')
    .filter(({ symbol }) => !symbol.declarations?.some(isInferred))
    .map(({ specifier, name }) => `${specifier}: ${name}`);
}

/** `z.output<typeof schema>` and the like. */
function isInferred(declaration: ts.Declaration): boolean {
  if (!ts.isTypeAliasDeclaration(declaration) || !ts.isTypeReferenceNode(declaration.type)) return false;
  return declaration.type.typeArguments?.some((argument) => ts.isTypeQueryNode(argument)) === true;
}
