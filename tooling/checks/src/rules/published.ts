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
    const problems: string[] = [];
    for (const member of publics)
      problems.push(...(await packed(member)).map((text) => `${member.name}: ${text}`));
    return problems;
  },
};

async function packed(member: WorkspacePackage): Promise<string[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'baton-pack-'));
  try {
    const pack = await pnpm('--dir', path.join(root, member.folder), 'pack', '--pack-destination', folder);
    const [tarball] = readdirSync(folder);
    if (pack.exitCode !== 0 || tarball === undefined) return [`pnpm pack failed: ${pack.stderr.trim()}`];
    const file = path.join(folder, tarball);
    return [...(await publintProblems(file)), ...(await typeProblems(file)), ...(await loadProblems(member))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function publintProblems(tarball: string): Promise<string[]> {
  const bytes = readFileSync(tarball);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const { messages, pkg } = await publint({ pack: { tarball: buffer as ArrayBuffer }, level: 'warning' });
  return messages.map(
    (message) => `publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`,
  );
}

async function typeProblems(tarball: string): Promise<string[]> {
  const { exitCode, stdout, stderr } = await run([
    'attw',
    tarball,
    '--profile=esm-only',
    '--no-definitely-typed',
    '--no-emoji',
    '--format=ascii',
  ]);
  const telling = lines(stdout + stderr).filter((line) => !/\(ignor|: OK|^\*+$/.test(line));
  return exitCode === 0 ? [] : telling.map((line) => `attw: ${line}`);
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
