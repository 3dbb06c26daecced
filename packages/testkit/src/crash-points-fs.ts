import fs from 'node:fs';
import path from 'node:path';

import { isAt, type CrashGate } from './crash-points-gate.ts';
import { fsWriters, reachedPoint, type CrashCatalogue } from './crash-points-names.ts';

type Anything = (...args: unknown[]) => unknown;
type Callers = Record<string, Anything>;

/** Things that can stop half-way: a file of which half is written, a folder of which half is gone. */
const halves: Record<string, (args: unknown[]) => void> = {
  writeFile: ([file, data, options]) =>
    original.writeFileSync(file as string, half(data), options as fs.WriteFileOptions),
  appendFile: ([file, data, options]) =>
    original.appendFileSync(file as string, half(data), options as fs.WriteFileOptions),
  copyFile: ([from, to]) => original.writeFileSync(to as string, half(original.readFileSync(from as string))),
  rm: ([folder]) => removeHalf(folder as string),
};
const original = { ...fs };

function half(data: unknown): string | Uint8Array {
  if (typeof data === 'string') return data.slice(0, Math.ceil(data.length / 2));
  return data instanceof Uint8Array ? data.subarray(0, Math.ceil(data.length / 2)) : '';
}

function removeHalf(folder: string): void {
  if (!original.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  const names = original.readdirSync(folder);
  for (const name of names.slice(0, Math.ceil(names.length / 2)))
    original.rmSync(path.join(folder, name), { recursive: true, force: true });
}

/** Wraps what of `node:fs` and `node:fs/promises` changes something. */
export function watchFiles(gate: CrashGate, catalogue: CrashCatalogue): void {
  const sync = fs as unknown as Callers;
  const promises = fs.promises as unknown as Callers;
  for (const name of fsWriters) {
    const watched = { name, gate, catalogue };
    if (sync[`${name}Sync`] !== undefined)
      sync[`${name}Sync`] = watchSync(sync[`${name}Sync`] as Anything, watched);
    if (promises[name] !== undefined) promises[name] = watchAsync(promises[name], watched);
  }
  sync['createWriteStream'] = watchSync(sync['createWriteStream'] as Anything, {
    name: 'createWriteStream',
    gate,
    catalogue,
  });
}

interface Watched {
  name: string;
  gate: CrashGate;
  catalogue: CrashCatalogue;
}

function enter({ name, gate, catalogue }: Watched, args: unknown[]) {
  const point = reachedPoint(`fs:${name}`, catalogue);
  if (point === null) return null;
  const strike = gate.pass(point, { hasMiddle: halves[name] !== undefined });
  if (isAt(strike, 'before')) gate.strike(strike);
  if (isAt(strike, 'middle')) {
    halves[name]?.(args);
    gate.strike(strike);
  }
  return strike;
}

const watchSync =
  (real: Anything, watched: Watched): Anything =>
  (...args) => {
    const strike = enter(watched, args);
    const result = real.apply(fs, args);
    if (isAt(strike, 'after')) watched.gate.strike(strike);
    return result;
  };

const watchAsync =
  (real: Anything, watched: Watched): Anything =>
  async (...args) => {
    const strike = enter(watched, args);
    const result = await real.apply(fs.promises, args);
    if (isAt(strike, 'after')) watched.gate.strike(strike);
    return result;
  };
