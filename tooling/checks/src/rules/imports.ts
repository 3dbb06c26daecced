import { existsSync } from 'node:fs';
import path from 'node:path';
import { insideLayers, layers, levelOf, mayImport, root, sideways } from '@baton/docs';
import { cruise, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser';
import type { Rule } from '../rule.ts';

const tests =
  '(\\.test\\.tsx?|\\.test-d\\.ts)$|^(packages|apps)/[^/]+/(test|evidence)/|/vitest\\.config\\.ts$';
// Packages below the testkit cannot depend on it without a circle of packages; their README tests take this one file by its path.
const readmeRunner = '^packages/testkit/src/readme-example\\.ts$';
// Whole runs are tortured by the same trials and judged by the same laws as the store alone.
const proofRig = '^packages/task-store/test/campaigns/torture/';
const names = layers.flatMap((layer) => [...layer.packages]);
const mayTestWith = (name: string) => (levelOf(name) ?? 0) >= 2;
const inside = (name: string) => `^(packages|apps)/${name}/`;

/** What no package may import: one rule a package, read off the layers, then the owners of what only one may touch. */
const forbidden: IForbiddenRuleType[] = [
  ...names.map((from) => ({
    name: `direction-${from}`,
    comment: `${from} may import only: ${names.filter((to) => mayImport(from, to)).join(', ') || 'nothing'}`,
    severity: 'error' as const,
    from: { path: `${inside(from)}src/`, pathNot: tests },
    to: { path: names.filter((to) => to !== from && !mayImport(from, to)).map(inside) },
  })),
  ...names.map((from) => ({
    name: `direction-${from}-tests`,
    comment: `tests of ${from} may import what it may import${mayTestWith(from) ? ', and the testkit' : ''}`,
    severity: 'error' as const,
    from: { path: `${inside(from)}(src|test|evidence)/` },
    to: {
      path: names
        .filter((to) => to !== from && !mayImport(from, to) && !(to === 'testkit' && mayTestWith(from)))
        .map(inside),
      pathNot: readmeRunner,
    },
  })),
  ...Object.entries(insideLayers).flatMap(([name, levels]) => foldersOf(name, levels)),
  owner('owner-postgres', 'only the store and the starter of servers speak to Postgres', {
    what: '(^pg$|node_modules/pg/|node_modules/@types/pg/|node_modules/postgres/)',
    owners: ['packages/task-store/', 'packages/embedded-postgres/', 'packages/testkit/', 'tooling/'],
  }),
  owner('owner-processes', 'only the spawner and the files that start servers and processes run programs', {
    what: '^(node:)?child_process$',
    owners: [
      'packages/spawner/',
      'packages/embedded-postgres/',
      'packages/testkit/',
      'apps/cli/src/up/child\\.ts$',
      'packages/task-store/scripts/',
      'examples/',
      'tooling/',
    ],
  }),
  owner('owner-http', 'only the server serves HTTP', {
    what: 'node_modules/fastify/',
    owners: ['apps/server/'],
  }),
  {
    name: 'no-cycle',
    comment: 'files of a package do not import each other in a circle',
    severity: 'error',
    from: { pathNot: '/generated/' },
    to: { circular: true },
  },
  {
    name: 'resolvable',
    comment: 'every import leads somewhere',
    severity: 'error',
    from: { pathNot: '/generated/' },
    to: { couldNotResolve: true, pathNot: '/generated/' },
  },
  {
    name: 'walls',
    comment: 'one package reaches another by its exports, never by a path',
    severity: 'error',
    from: { path: '^(packages|apps)/([^/]+)/' },
    to: {
      path: '^(packages|apps)/[^/]+/',
      pathNot: ['^(packages|apps)/$2/', readmeRunner, proofRig],
      dependencyTypes: ['local'],
    },
  },
];

/** What the folders of one `src` may not import: what is not below them, and what composes them. */
function foldersOf(name: string, levels: readonly (readonly string[])[]): IForbiddenRuleType[] {
  const src = `^(packages|apps)/${name}/src/`;
  const known = levels.flat();
  const belowOf = (at: number) => levels.slice(0, at).flat();
  return [
    ...levels.flatMap((folders, at) =>
      folders.map((folder) => ({
        name: `folder-${name}-${folder}`,
        comment: `src/${folder} of ${name} may import only: ${['env.ts', ...belowOf(at)].join(', ')}`,
        severity: 'error' as const,
        from: { path: `${src}${folder}/`, pathNot: tests },
        to: {
          path: src,
          pathNot: [folder, ...belowOf(at)]
            .map((part) => `${src}${part}/`)
            .concat(`${src}env\\.ts$`, `${src}generated/`),
        },
      })),
    ),
    {
      name: `folder-${name}-unknown`,
      comment: `folders of src of ${name} are: ${known.join(', ')}; a new one gets its level in tooling/docs/src/layers.ts`,
      severity: 'error',
      from: { path: `${src}[^/]+/`, pathNot: [...known.map((part) => `${src}${part}/`), '/generated/'] },
      to: {},
    },
  ];
}

function owner(
  name: string,
  comment: string,
  { what, owners }: { what: string; owners: string[] },
): IForbiddenRuleType {
  return {
    name,
    comment,
    severity: 'error',
    from: { pathNot: [...owners.map((path) => `^${path}`), tests] },
    to: { path: what },
  };
}

/** Imports point down, only the upper levels compose, and what has an owner is touched by no one else. */
export const imports: Rule = {
  name: 'imports',
  what: `imports point down, never sideways (but ${sideways.map((pair) => pair.join(' → ')).join(', ')}); each resource has one owner`,
  check: () => importProblems(root),
};

/** Imports below a folder, laid out as this repository is, that break a rule. */
export async function importProblems(folder: string): Promise<string[]> {
  const parts = ['packages', 'apps', 'tooling'].filter((part) => existsSync(path.join(folder, part)));
  const { output } = await cruise(
    parts,
    {
      baseDir: folder,
      ruleSet: { forbidden },
      validate: true,
      doNotFollow: { path: 'node_modules' },
      exclude: { path: '/(dist|node_modules|fixtures)/' },
      tsPreCompilationDeps: true,
      moduleSystems: ['es6', 'cjs'],
    },
    { conditionNames: ['@baton/source', 'types', 'import', 'node', 'default'], exportsFields: ['exports'] },
  );
  return (output as ICruiseResult).summary.violations.map(({ from, to, rule }) => {
    const comment = forbidden.find(({ name }) => name === rule.name)?.comment ?? '';
    return `${from} → ${to} (${rule.name}): ${comment}`;
  });
}
