// Prints what failed in `npm test` since a time (its argument, in ms; else ever), package by package, and what passed at its second
// try only: last in a long output, where it is looked for.
import { globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const mostLines = 60;
const sinceMs = Number(process.argv[2] ?? 0);

for (const log of globSync('{packages,apps,tooling}/*/.turbo/turbo-test.log', { cwd: root })) {
  if (statSync(path.join(root, log)).mtimeMs < sinceMs) continue; // of an earlier run
  const lines = readFileSync(path.join(root, log), 'utf8').split('\n');
  for (const line of lines.filter((each) => each.includes('PASSED AT THE SECOND TRY ONLY')))
    console.error(`${path.dirname(path.dirname(log))}: ${line}`);
  const from = lines.findIndex((line) => /Failed (Tests|Suites)|Unhandled Errors?/.test(line));
  if (from < 0) continue;
  console.error(`\n${path.dirname(path.dirname(log))}: what failed\n`);
  console.error(lines.slice(from, from + mostLines).join('\n'));
}
