import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { mayImport, root, workspacePackages, type WorkspacePackage } from '@baton/docs';
import type { Rule } from '../rule.ts';

/** The part of a package.json that the rule reads. */
export interface Manifest {
  license?: string;
  type?: string;
  engines?: { node?: string };
  exports?: Record<string, unknown>;
  publishConfig?: { exports?: Record<string, unknown> };
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** What a package says about itself agrees with the repository. */
export const manifests: Rule = {
  name: 'manifests',
  what: 'package.json files name licence and Node, pin exact versions, depend downwards, and publish what they export',
  async check() {
    const problems = workspacePackages().flatMap((member) => {
      const file = path.join(root, member.folder, 'package.json');
      const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
      return manifestProblems(member, manifest).map((text) => `${member.folder}/package.json: ${text}`);
    });
    return [...problems, ...changesetProblems()];
  },
};

/** What is wrong with one package.json. */
export function manifestProblems(
  member: Pick<WorkspacePackage, 'name' | 'private'>,
  manifest: Manifest,
): string[] {
  const { license, type, engines, dependencies = {}, devDependencies = {} } = manifest;
  const problems: string[] = [];
  if (license !== 'Apache-2.0') problems.push('"license" is not Apache-2.0');
  if (type !== 'module') problems.push('"type" is not module');
  if (engines?.node !== '>=22.18') problems.push('"engines.node" is not >=22.18');
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
    if (!/^(workspace:\*|catalog:|\d+\.\d+\.\d+\S*)$/.test(version))
      problems.push(`${name} ${version} is no exact version`);
  }
  for (const name of Object.keys(dependencies)) {
    const to = name.startsWith('@baton/') ? name.slice(7) : undefined;
    if (
      to !== undefined &&
      workspacePackages().some((other) => other.name === to) &&
      !mayImport(member.name, to)
    ) {
      problems.push(`${member.name} may not depend on ${to}`);
    }
  }
  return member.private ? problems : [...problems, ...publishProblems(manifest)];
}

function publishProblems({ exports = {}, publishConfig = {} }: Manifest): string[] {
  const published = publishConfig.exports ?? {};
  const different = Object.keys(exports).sort().join() !== Object.keys(published).sort().join();
  const source = JSON.stringify(published).includes('@baton/source');
  return [
    ...(different ? ['"publishConfig.exports" and "exports" have different entries'] : []),
    ...(source ? ['"publishConfig.exports" names the condition for sources'] : []),
  ];
}

function changesetProblems(): string[] {
  const folder = path.join(root, '.changeset');
  if (!existsSync(folder)) return [];
  const publics = workspacePackages().filter((member) => !member.private);
  const files = readdirSync(folder).filter((file) => file.endsWith('.md') && file !== 'README.md');
  return files.flatMap((file) => {
    const [, front = ''] = /^---\n([\s\S]*?)\n---/.exec(readFileSync(path.join(folder, file), 'utf8')) ?? [];
    const names = [...front.matchAll(/^['"]?(@baton\/([a-z0-9-]+))['"]?:\s*(patch|minor|major)$/gm)];
    const unknown = names.filter(([, , name]) => !publics.some((member) => member.name === name));
    const problems = unknown.map(([, name]) => `.changeset/${file}: ${name} is no published package`);
    return names.length === 0 ? [`.changeset/${file}: names no package`] : problems;
  });
}
