// How big the package is for a browser, before and after compression.
import { mkdirSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const bundle = (minify) =>
  build({
    entryPoints: ['lib/index.js'],
    bundle: true,
    minify,
    write: false,
    format: 'iife',
    globalName: 'Qs',
  });
const plain = (await bundle(false)).outputFiles[0].contents;
const minified = (await bundle(true)).outputFiles[0].contents;
const rows = [
  ['bundle', plain.length],
  ['minified', minified.length],
  ['gzip', gzipSync(minified).length],
  ['brotli', brotliCompressSync(minified).length],
];
mkdirSync('docs', { recursive: true });
const table = rows.map(([name, bytes]) => `| ${name} | ${bytes} |`).join('\n');
writeFileSync('docs/size.md', `# Size\n\n| form | bytes |\n| --- | --: |\n${table}\n`);
console.log(rows.map(([name, bytes]) => `${name} ${bytes} B`).join(', '));
