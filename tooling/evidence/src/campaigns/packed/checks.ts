import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runProgram } from '../../run-program.ts';
import { env } from './project.ts';

/** What is looked at, and where. */
export interface Look {
  /** The stranger's project. */
  folder: string;
  /** Name without the scope. */
  name: string;
  /** What `tsc` is run from. */
  tsc: string;
  /** What the examples of the README print, one after the other; when left out, they only have to succeed. */
  prints?: string;
  /** TypeScript that must compile besides the example, lines that must not compile marked `@ts-expect-error`. */
  types: string;
  /** Names of the values that the source exports. */
  exports: readonly string[];
}

/** One thing that a stranger does, and what went wrong: null if nothing did. */
export interface Checked {
  what: string;
  problem: string | null;
}

/** How TypeScript projects resolve packages: ESM under node16, any bundler, and CommonJS where `require` takes ESM. */
const compilers = [
  { what: 'TypeScript, node16', ending: 'ts', flags: ['--module', 'node16'] },
  {
    what: 'TypeScript, bundler',
    ending: 'ts',
    flags: ['--module', 'esnext', '--moduleResolution', 'bundler'],
  },
  { what: 'TypeScript, CommonJS', ending: 'cts', flags: ['--module', 'nodenext'] },
] as const;

/** Does everything with one installed package that its README promises. */
export async function checkPackage(look: Look): Promise<Checked[]> {
  const readme = await readFile(
    path.join(look.folder, 'node_modules/@baton', look.name, 'README.md'),
    'utf8',
  );
  const examples = await writeExamples(look, readme);
  await writeFile(path.join(look.folder, `${look.name}-types.ts`), look.types);
  await writeFile(path.join(look.folder, `${look.name}-types.cts`), look.types);
  const checked = [
    await exported(look, { what: 'import', program: importing(look.name), ending: 'mjs' }),
    await exported(look, { what: 'require', program: requiring(look.name), ending: 'cjs' }),
  ];
  for (const { what, ending, flags } of compilers) {
    const files = [`${look.name}-types.${ending}`, ...(ending === 'ts' ? examples : [])];
    checked.push({ what, problem: await compile(look, [...flags, ...files]) });
  }
  checked.push({ what: 'the examples of its README', problem: await runExamples(look, examples) });
  checked.push({ what: 'the links of its README', problem: deadLinks(look, readme) });
  return checked;
}

const importing = (name: string) =>
  `import * as all from '@baton/${name}';\nconsole.log(JSON.stringify(Object.keys(all)));\n`;
const requiring = (name: string) => `console.log(JSON.stringify(Object.keys(require('@baton/${name}'))));\n`;

async function exported(
  { folder, name, exports }: Look,
  { what, program, ending }: { what: string; program: string; ending: string },
): Promise<Checked> {
  const file = `${name}-${what}.${ending}`;
  await writeFile(path.join(folder, file), program);
  const { exitCode, stdout, stderr } = await runProgram([process.execPath, file], { cwd: folder, env });
  if (exitCode !== 0 || stderr !== '') return { what, problem: `${stdout}${stderr}`.trim() };
  const found = (JSON.parse(stdout) as string[]).filter((one) => one !== 'default' && one !== '__esModule');
  const missing = exports.filter((one) => !found.includes(one));
  const extra = found.filter((one) => !exports.includes(one));
  if (found.length > 0 && missing.length + extra.length === 0) return { what, problem: null };
  const differences = [...missing.map((one) => `lacks ${one}`), ...extra.map((one) => `has ${one}`)];
  return { what, problem: `${differences.join(', ')} against its source; if the build is old: pnpm build` };
}

async function compile({ folder, tsc }: Look, args: readonly string[]): Promise<string | null> {
  const strict = ['--strict', '--target', 'es2024', '--lib', 'es2024,dom,esnext.disposable'];
  // The libraries' own declarations are checked too: what a package refers to must be there.
  const flags = ['--noEmit', '--skipLibCheck', 'false', ...strict, ...(await nodeTypes(folder))];
  const { exitCode, stdout } = await runProgram([process.execPath, tsc, ...flags, ...args], {
    cwd: folder,
    env,
  });
  return exitCode === 0 ? null : stdout.trim();
}

async function nodeTypes(folder: string): Promise<string[]> {
  const manifest = await readFile(path.join(folder, 'package.json'), 'utf8');
  return manifest.includes('"@types/node"') ? ['--types', 'node'] : [];
}

/** Writes each ```ts block of a README to a file of its own. */
async function writeExamples({ folder, name }: Look, readme: string): Promise<string[]> {
  const blocks = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code ?? '');
  const files = blocks.map((_, at) => `${name}-example-${at + 1}.ts`);
  await Promise.all(files.map((file, at) => writeFile(path.join(folder, file), blocks[at] ?? '')));
  return files;
}

/** A relative link leads to a file that was packed, or nowhere. */
function deadLinks({ folder, name }: Look, readme: string): string | null {
  const targets = [...readme.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(
    ([, target]) => target ?? '',
  );
  const at = path.join(folder, 'node_modules/@baton', name);
  const dead = targets.filter(
    (target) => target.startsWith('..') || !existsSync(path.join(at, decodeURI(target))),
  );
  return dead.length === 0 ? null : `not packed: ${dead.join(', ')}`;
}

async function runExamples({ folder, prints }: Look, files: readonly string[]): Promise<string | null> {
  if (files.length === 0) return 'its README has no example';
  let printed = '';
  for (const file of files) {
    const { exitCode, stdout, stderr } = await runProgram([process.execPath, file], {
      cwd: folder,
      env: { ...env, TMPDIR: path.dirname(folder) },
    });
    if (exitCode !== 0) return `${stdout}${stderr}`.trim();
    printed += stdout;
  }
  return prints === undefined || printed === prints ? null : `prints ${JSON.stringify(printed)}`;
}
