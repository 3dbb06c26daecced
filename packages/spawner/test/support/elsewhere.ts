import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Where a process of another host lives, as locks name it. */
export const otherSpace = 'otherhost a-boot 4026532999';

/** Lets a process of another host hold a lock; it beats until it is ended. */
export function holdElsewhere(lock: string, { pid = 7 }: { pid?: number } = {}): { end(): void } {
  const newest = existsSync(lock) ? Math.max(0, ...readdirSync(lock).map(Number)) : 0;
  const place = path.join(lock, String(newest + 1));
  mkdirSync(place, { recursive: true });
  let count = 0;
  const beat = () => writeFileSync(path.join(place, 'beat'), `${'7'.padStart(10, '0')} ${(count += 1)}\n`);
  beat();
  writeFileSync(path.join(place, 'holder'), `${pid}\nanother-1\n${otherSpace}\n`);
  const timer = setInterval(beat, 200);
  return { end: () => clearInterval(timer) };
}
