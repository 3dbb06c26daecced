import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** How {@link runReadmeExample} runs the example. */
export interface ReadmeExampleOptions {
  /** Variables for the example besides PATH and HOME. */
  env?: Readonly<Record<string, string>>;
  /** Longest time for the type check, and again for the run; 60 000 when left out. */
  timeoutMs?: number;
}

/**
 * Type-checks and runs the first ```ts block of a package's README, in the package's folder, so that it imports the
 * package by its public name, from source.
 *
 * @param readmePath the README, next to the package's package.json and tsconfig.json.
 * @returns what the example printed.
 * @throws Error with the compiler's or the example's own words.
 */
export async function runReadmeExample(
  readmePath: string,
  options: ReadmeExampleOptions = {},
): Promise<string> {
  const code = firstExample(await readFile(readmePath, 'utf8'));
  if (code === undefined) throw new Error(`${readmePath} holds no \`\`\`ts block.`);
  const folder = path.dirname(path.resolve(readmePath));
  // Not below node_modules, where Node refuses TypeScript; the dot keeps it out of globs such as "*.ts".
  const base = path.join(folder, `.readme-example-${randomBytes(4).toString('hex')}`);
  const [source, project] = [`${base}.ts`, `${base}.json`];
  try {
    await writeFile(source, code);
    const config = { extends: './tsconfig.json', include: [], files: [path.basename(source)] };
    await writeFile(project, JSON.stringify(config));
    const compiler = createRequire(import.meta.url).resolve('typescript-native/package.json');
    const tsc = path.join(compiler, '../bin/tsc');
    await runNode([tsc, '--noEmit', '--project', project], { ...options, folder });
    return await runNode(['--conditions=@baton/source', source], { ...options, folder });
  } finally {
    await Promise.all([rm(source, { force: true }), rm(project, { force: true })]);
  }
}

/** The code of the first ```ts block, `undefined` when there is none. */
export function firstExample(markdown: string): string | undefined {
  return /^```ts\n(.*?)^```$/ms.exec(markdown)?.[1];
}

async function runNode(args: string[], options: ReadmeExampleOptions & { folder: string }): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  try {
    const { stdout } = await run(process.execPath, args, {
      cwd: options.folder,
      env: { PATH, HOME, ...options.env },
      timeout: options.timeoutMs ?? 60_000,
    });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`The example of the README does not work.\n${stdout}${stderr}`, { cause: error });
  }
}
