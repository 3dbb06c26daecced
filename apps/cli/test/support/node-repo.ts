import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Files of a package whose tests need a development dependency and a file of settings, which git both ignores. */
export const nodeRepo = {
  '.gitignore': 'node_modules/\n.env\n',
  '.worktreeinclude': '.env\n',
  'package.json': JSON.stringify({
    name: 'x',
    scripts: { test: 'tiny-check index.js' },
    devDependencies: { 'tiny-check': 'file:./tools/tiny-check' },
  }),
  'index.js': 'exports.answer = 42;\n',
};

/** Installs that dependency in a checkout as npm does, a folder and a link to its program, and writes the settings. */
export async function installNodeModules(root: string): Promise<void> {
  await writeFile(path.join(root, '.env'), 'A=1\n');
  const modules = path.join(root, 'node_modules');
  const program = path.join(modules, 'tiny-check/cli.js');
  await mkdir(path.dirname(program), { recursive: true });
  await mkdir(path.join(modules, '.bin'), { recursive: true });
  await writeFile(
    program,
    '#!/usr/bin/env node\nrequire("node:fs").accessSync(".env");\nrequire("node:assert").equal(require(process.cwd() + "/index.js").answer, 42);\n',
  );
  await chmod(program, 0o755);
  await symlink('../tiny-check/cli.js', path.join(modules, '.bin/tiny-check'));
}
