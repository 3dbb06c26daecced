import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { plantedFolder } from './campaigns/explore/planted.ts';

const root = path.join(import.meta.dirname, '../../..');
const patches = readdirSync(plantedFolder).filter((file) => file.endsWith('.patch'));

it.each(patches)('the planted bug %s fits the sources', (file) => {
  const text = readFileSync(path.join(plantedFolder, file), 'utf8');
  const input = text.slice(text.search(/^--- /m));
  expect(() => execFileSync('git', ['apply', '--check', '-'], { cwd: root, input })).not.toThrow();
});
