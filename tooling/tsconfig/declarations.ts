import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

/**
 * Writes the declarations of a package to `dist`, as its sources lie in `src`, by the native compiler, which also checks their types.
 *
 * @param entries source of each entry, by its name in `dist`, without its ending
 * @throws Error when a type is wrong; the compiler has said where
 */
export async function writeDeclarations(entries: Readonly<Record<string, string>>): Promise<void> {
  const folder = process.cwd();
  const work = await mkdtemp(path.join(folder, 'dist/.declarations-'));
  try {
    const project = path.join(work, 'tsconfig.json');
    await writeFile(project, JSON.stringify(settings(folder, Object.values(entries))));
    const compiler = path.join(
      createRequire(import.meta.url).resolve('typescript-native/package.json'),
      '../bin/tsc',
    );
    const child = spawn(process.execPath, [compiler, '--project', project, '--listEmittedFiles'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    const [code] = (await once(child, 'close')) as [number | null];
    const emitted = [...printed.matchAll(/^TSFILE: (.+)$/gm)].map(([, file]) => file as string);
    if (code !== 0)
      throw new Error(`The types of ${folder} are wrong:\n${printed.replace(/^TSFILE: .*\n/gm, '')}`);
    await Promise.all(emitted.map(withBuiltNames));
    await Promise.all(Object.entries(entries).map(([name, source]) => nameEntry(folder, { name, source })));
  } finally {
    await rm(work, { recursive: true });
  }
}

function settings(folder: string, sources: readonly string[]): object {
  return {
    extends: path.join(folder, 'tsconfig.json'),
    include: [],
    files: sources.map((source) => path.join(folder, source)),
    compilerOptions: {
      ...{ noEmit: false, declaration: true, emitDeclarationOnly: true },
      ...{ rootDir: path.join(folder, 'src'), outDir: path.join(folder, 'dist') },
    },
  };
}

/** The compiler names sources, `./run.ts`; who installs the package has what was built of them, `./run.js`. */
async function withBuiltNames(file: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  const built = text.replace(/((?:from |import\(|import )(['"])\.{1,2}\/[^'"\n]*)\.ts\2/g, '$1.js$2');
  if (built !== text) await writeFile(file, built);
}

/** An entry that is not named as its source is has declarations that lead to those of its source. */
async function nameEntry(folder: string, { name, source }: { name: string; source: string }): Promise<void> {
  const file = path.join(folder, 'dist', `${name}.d.ts`);
  if (existsSync(file)) return;
  const built = path.relative('src', source).replace(/\.ts$/, '.js');
  await writeFile(file, `export * from './${built}';\n`);
}
