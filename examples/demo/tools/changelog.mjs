// Tells what landed since the import, from the history itself.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const log = execFileSync(
  'git',
  ['log', '--reverse', '--format=%s%x09%(trailers:key=Task-Id,valueonly,separator=%x2C)'],
  { encoding: 'utf8' },
);
const entries = log
  .split('\n')
  .map((line) => line.split('\t'))
  .filter(([, task]) => task)
  .map(([subject]) => `- ${subject}`);
const file = readFileSync('CHANGELOG.md', 'utf8');
writeFileSync('CHANGELOG.md', `## Unreleased\n\n${entries.join('\n')}\n\n${file}`);
console.log(`${entries.length} changes told`);
