import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { fromText, type BytePath } from './byte-path.ts';

/**
 * Where something is mounted in a folder, as paths relative to it, '' for the folder itself; none where that cannot be known. A bind
 * mount of the same file system looks like any other folder: what is removed there is removed elsewhere.
 */
export function mountsIn(folder: string): BytePath[] {
  if (process.platform !== 'linux') return [];
  try {
    if (!lstatSync(folder).isDirectory()) return []; // nothing is mounted at a link
    const root = fromText(realpathSync(folder));
    const top = `${root}/`;
    const lines = readFileSync('/proc/self/mountinfo', 'latin1').split('\n');
    const points = lines.map((line) => unescaped(line.split(' ')[4] ?? ''));
    const below = points.filter((point) => point === root || point.startsWith(top));
    return below.map((point) => point.slice(top.length));
  } catch {
    return [];
  }
}

function unescaped(point: string): BytePath {
  return point.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(parseInt(code, 8)));
}
