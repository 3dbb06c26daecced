import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root, workspacePackages, type WorkspacePackage } from '@baton/docs';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { lines, pnpm, run } from '../run.ts';
import type { Rule } from '../rule.ts';

/** What npm would get, looked at as its users will: packed, with `publishConfig` in place. */
export const published: Rule = {
  name: 'packages',
  what: 'the packed packages pass publint and are-the-types-wrong, and load by import and by require',
  async check() {
    const publics = workspacePackages().filter((member) => !member.private);
    const filters = publics.map((member) => `--filter=@baton/${member.name}`);
    const build = await pnpm('exec', 'turbo', 'run', 'build', ...filters, '--output-logs=errors-only');
    if (build.exitCode !== 0) return lines(build.stdout + build.stderr).slice(-20);
    const folder = mkdtempSync(path.join(os.tmpdir(), 'baton-pack-'));
    try {
      const pack = await pnpm('--recursive', ...filters, 'pack', '--pack-destination', folder);
      if (pack.exitCode !== 0) return [`pnpm pack failed: ${pack.stderr.trim()}`];
      const problems: string[] = [];
      for (const member of publics) {
        const name = new RegExp(`^baton-${member.name}-\\d`);
        const tarball = readdirSync(folder).find((file) => name.test(file)) ?? '';
        const found = await packed(member, path.join(folder, tarball));
        problems.push(...found.map((text) => `${member.name}: ${text}`));
      }
      return problems;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function packed(member: WorkspacePackage, tarball: string): Promise<string[]> {
  const bytes = new Uint8Array(readFileSync(tarball));
  return [...(await publintProblems(bytes)), ...(await typeProblems(bytes)), ...(await loadProblems(member))];
}

async function publintProblems({ buffer }: Uint8Array<ArrayBuffer>): Promise<string[]> {
  const { messages, pkg } = await publint({ pack: { tarball: buffer }, level: 'warning' });
  return messages.map(
    (message) => `publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`,
  );
}

/** How an importer of packages that are ES modules may resolve their types. */
const resolutions = ['node16-esm', 'bundler'] as const;

async function typeProblems(tarball: Uint8Array): Promise<string[]> {
  // Under vitest, whose condition `development` names its sources, they cannot be loaded.
  const { checkPackage, createPackageFromTarballData } = await import('@arethetypeswrong/core');
  const { problemAffectsResolutionKind, problemKindInfo } = await import('@arethetypeswrong/core/problems');
  const analysis = await checkPackage(createPackageFromTarballData(tarball));
  if (!analysis.types) return ['attw: there are no types'];
  const telling = analysis.problems.filter((problem) =>
    resolutions.some((kind) => problemAffectsResolutionKind(problem, kind, analysis)),
  );
  return telling.map((problem) => `attw: ${problemKindInfo[problem.kind].title}: ${JSON.stringify(problem)}`);
}

/** Loads each entry of the built package in a fresh Node, both ways, without the source condition. */
async function loadProblems(member: WorkspacePackage): Promise<string[]> {
  const specifiers = Object.keys(member.entries).map((subpath) => `@baton/${member.name}${subpath.slice(1)}`);
  const script = `
    for (const name of ${JSON.stringify(specifiers)}) {
      const both = [Object.keys(require(name)), Object.keys(await import(name))].map((keys) => keys.filter((key) => !['default', 'module.exports', '__esModule'].includes(key)).sort().join());
      if (both[0] === '' || both[0] !== both[1]) { console.error(name + ': require and import give different names'); process.exitCode = 1; }
    }`;
  // eval as CommonJS has no top-level await, so the loop is wrapped.
  const wrapped = `(async () => {${script}})().catch((error) => { console.error(error); process.exitCode = 1; });`;
  const { exitCode, stderr } = await run(['node', '--input-type=commonjs', '-e', wrapped], {
    cwd: path.join(root, member.folder),
  });
  return exitCode === 0
    ? []
    : lines(stderr)
        .slice(0, 5)
        .map((line) => `load: ${line}`);
}
